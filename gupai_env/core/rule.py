"""`@rule`: marks a function of the rules, callable as plain Python and from compiled code alike.

Compiled code does not call such a function but contains it. So what its caller knows for sure (the width of a row,
that a borrowed row is counted nowhere, see `rows`) is known within it too, and nothing is left of a step from one
function to the next.
"""

from numba.extending import register_jitable

rule = register_jitable(
    forceinline=True, no_cfunc_wrapper=True
)  # a wrapper nobody calls takes time to compile
