"""Imported by tests, and by processes that they start: loops are machine code from their first call on."""

from gupai_env.core import compiling

compiling.PLAIN_SECONDS = 0
