"""Digests of what must stay what it was: figures to six digits, texts to the letter but for gupai's version.

A test that fails after a deliberate change shows the new digest, to be written in the place of the old one.
"""

import hashlib
import json
from typing import Any

from gupai_env import __version__


def rounded(content: Any) -> Any:
    """Return it with all floats to six digits, nine behind the point at most.

    Sums of many numbers differ in the last digits from processor to processor.
    """
    if isinstance(content, dict):
        return {str(key): rounded(value) for key, value in content.items() if key != "seconds"}
    if isinstance(content, list | tuple):
        return [rounded(each) for each in content]
    return float(f"{round(content, 9):.6g}") + 0.0 if isinstance(content, float) else content


def digest_of(content: Any) -> str:
    """Return eight hexadecimal digits of the digest of a text, or of what can be JSON."""
    text = (
        content.replace(__version__, "") if isinstance(content, str) else json.dumps(rounded(content), sort_keys=True)
    )
    return hashlib.sha256(text.encode()).hexdigest()[:8]
