"""How a stack that is known by its structure is evaluated: planned once, then run.

Planning finds, layer by layer, which channels and rows are 0 or not needed (``windows``) and which
channels do the same (``grouping``); running (``plan``) is a list of whole-array operations.
"""

from bestiary.mixers.evaluation.cache import PlanCache

__all__ = ["PlanCache"]
