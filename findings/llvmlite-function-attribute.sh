#!/usr/bin/env bash
# llvmlite 0.47.0 puts a function attribute on the return value.
#
# `ValueRef.add_function_attribute("noinline")` on a function of a parsed module, as its documentation has it, writes
# "define noinline i32 @f", where LLVM expects attributes of the value that is returned. LLVM's verifier then refuses the
# module: "Attribute 'noinline' does not apply to function return values". Seen alike with 0.44.0, 0.45.1 and 0.46.0,
# the one that goes with numba 0.63; with 0.49.0 and 0.50.0 the attribute is the function's. An attribute that is set
# before the module is parsed, on llvmlite.ir.Function, is right in all of them.
#
# Fails if 0.47.0 behaves otherwise, or 0.50.0 does not mend it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
cat > "$folder/attribute.py" <<'PYTHON'
import llvmlite
import llvmlite.binding as llvm

module = llvm.parse_assembly("define i32 @f(i32 %x) {\n  ret i32 %x\n}\n")
module.get_function("f").add_function_attribute("noinline")
(line,) = [line for line in str(module).splitlines() if line.startswith("define")]
try:
    module.verify()
    verdict = "verified"
except RuntimeError as error:
    verdict = str(error).splitlines()[0]
print(f"llvmlite {llvmlite.__version__}: {line}: {verdict}")
PYTHON
for version in 0.47.0 0.50.0; do
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "llvmlite==$version"
    "$folder/venv/bin/python" "$folder/attribute.py" | tee "$folder/$version"
done
grep -qF "define noinline i32 @f(i32 %x) {: Attribute 'noinline' does not apply to function return values" "$folder/0.47.0"
grep -qF "define i32 @f(i32 %x) #0 {: verified" "$folder/0.50.0"
