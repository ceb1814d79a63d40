#!/usr/bin/env bash
# numba 0.68.1 changes what llvmlite 0.50.0 takes the names of CPython's exceptions for, in the whole process.
#
# In CPython's headers PyExc_TypeError is a variable that holds the address of the class, and so it is in LLVM code that
# a C compiler makes of them: the code loads the variable. llvmlite finds that variable in the process by its name.
# Once numba has compiled anything, the same name means the class itself, because numba adds the symbols of all built-in
# exceptions for its own code, with other meanings. Code made of C by clang and run by llvmlite then reads the first
# field of the class, its count of references, as an address. Neither documentation says so. A way around is to hand the
# class over as an argument.
#
# Looks symbols up, and runs no such code. Fails if the name is the variable's after numba, or the class's before.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numba==0.68.1 llvmlite==0.50.0
"$folder/venv/bin/python" - <<'PYTHON'
import ctypes

from llvmlite import binding


def address() -> int:
    return binding.address_of_symbol("PyExc_TypeError")


binding.initialize_native_target()
binding.initialize_native_asmprinter()
machine = binding.Target.from_default_triple().create_target_machine()
engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)  # which looks into the process
variable = ctypes.addressof(ctypes.c_void_p.in_dll(ctypes.pythonapi, "PyExc_TypeError"))
before = address()
from numba import njit  # noqa: E402

njit(lambda number: number + 1)(1)
after = address()
meanings = {variable: "CPython's variable", id(TypeError): "the class"}
print("before numba has compiled:", meanings[before])
print("after it:                 ", meanings[after])
assert before == variable and after == id(TypeError)
PYTHON
