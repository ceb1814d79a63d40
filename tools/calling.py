"""Writes gupai_env/core/calling.ll, LLVM's code of calling.c, for processes that compile: they have no compiler of C.

It is the same for all processors and systems of 64 bits. Run it after an edit of calling.c: `python tools/calling.py`.
"""

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "gupai_env/core/calling.c"


def digest() -> str:
    """Return the digest of the source, which is in the first line of what is made of it."""
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()


def main() -> None:
    """Write the file."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "calling.ll")
        # For ARM, whose processors have no levels that would be asked for by an instruction of x86.
        command = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-gnu", "-O0", "-S", "-emit-llvm"]
        quiet = ["-g0", "-fno-sanitize=all", "-fno-stack-protector", "-fno-unwind-tables"]
        subprocess.run([*command, *quiet, "-o", str(out), str(SOURCE)], check=True)
        lines = out.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if not re.match(r"target |source_filename|attributes |!|;", line)]
    lines = [re.sub(r" #\d+|, !\S+ !\d+|\s+; preds.*", "", line) for line in lines]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join([f"; of calling.c {digest()}, by tools/calling.py", *lines, ""]))
    SOURCE.with_suffix(".ll").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
