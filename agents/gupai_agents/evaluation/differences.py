"""Where the JSON in a file and the same computed again differ."""

import math
from typing import Any

from gupai_env.words.checks import short_repr

CLOSE = 1e-9  # figures as close as this, relatively or absolutely, are equal: processors differ in their last digits


def adopted(here: Any, there: Any) -> Any:
    """Return a value of JSON as computed here, with the floats of a file in the place of those that are CLOSE."""
    if isinstance(here, dict) and isinstance(there, dict):
        return {name: adopted(value, there.get(name)) for name, value in here.items()}
    if isinstance(here, list | tuple) and isinstance(there, list) and len(here) == len(there):
        return [adopted(*pair) for pair in zip(here, there, strict=True)]
    close = type(here) is type(there) is float and math.isclose(here, there, rel_tol=CLOSE, abs_tol=CLOSE)
    return there if close else here


def difference(there: Any, here: Any, key: str) -> str:
    """Return where two values of JSON differ first, and how, in a few words; "" if they do not."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in {**here, **there}:
            inner = f"{key}.{name}" if key else str(name)
            if name not in there or name not in here:
                return f"{inner} is {'missing' if name in here else 'not known here'}"
            if mismatch := difference(there[name], here[name], inner):
                return mismatch
        return ""
    if isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        pairs = enumerate(zip(there, here, strict=True))
        return next(filter(None, (difference(*pair, f"{key}[{index}]") for index, pair in pairs)), "")
    if type(there) is type(here) and there == here:
        return ""
    a, b = short_repr(there), short_repr(here)
    if a == b:  # they are long and begin alike
        return f"{key} differs: {a}"
    return f"{key} is {a} there, here {b}"
