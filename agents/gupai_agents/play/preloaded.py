"""Imported by the process that workers are forked from, so that they share the memory of what loads machine code."""

import gc

from gupai_env.core.compiling import calling, machine_code

if machine_code("a worker"):
    calling()
gc.collect()
gc.freeze()  # or the next collection would write to every object, and so copy it
