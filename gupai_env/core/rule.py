"""`@rule`: marks a function of the rules, callable as plain Python and from compiled code alike."""

from numba.extending import register_jitable as rule

__all__ = ["rule"]
