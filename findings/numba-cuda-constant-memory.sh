#!/usr/bin/env bash
# numba-cuda 0.30.4 puts every NumPy array that a kernel captures into constant memory, of which a kernel has 64 KiB.
#
# A larger array compiles to PTX without a word, and `compile_ptx` returns what no assembler takes: ptxas 13.0.88 says
# "uses too much global constant data". The documentation says that captured arrays are constants, not where they lie.
# LLVM's own code generator (llvmlite 0.50.0) puts the same constants of a module into global memory, reads them through
# the read-only cache (ld.global.nc), and has no such limit.
#
# Needs no GPU. Fails if an array of 60,000 bytes is refused, or one of 100,000 is taken.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numba==0.68.1 numba-cuda==0.30.4 \
    nvidia-cuda-nvrtc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-nvcc==13.0.88
cat > "$folder/kernel.py" <<'PYTHON'
import sys

import numpy as np
from numba import cuda
from numba.cuda import types

table = np.arange(int(sys.argv[1])).astype(np.int8)


def kernel(out):
    row = cuda.grid(1)
    out[row] = table[row]


text, _ = cuda.compile_ptx(kernel, types.void(types.int8[:]), cc=(9, 0))
print(text)
PYTHON
ptxas=$(echo "$folder"/venv/lib/python3*/site-packages/nvidia/cu13/bin/ptxas)
for bytes in 60000 100000; do
    "$folder/venv/bin/python" "$folder/kernel.py" "$bytes" > "$folder/$bytes.ptx"
    grep -o '^\.const .*\[[0-9]*\]' "$folder/$bytes.ptx"
    "$ptxas" -arch sm_90 "$folder/$bytes.ptx" -o "$folder/$bytes.cubin" 2>&1 | tee "$folder/$bytes" || true
done
test -e "$folder/60000.cubin"
grep -q "uses too much global constant data" "$folder/100000"
