"""Errors that a person reads."""

import pytest


def one_line(error: pytest.ExceptionInfo) -> str:
    """The text of an error, which is one line that a person can read."""
    text = str(error.value)
    assert "\n" not in text
    assert len(text) < 500
    return text
