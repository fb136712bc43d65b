"""Products of butterfly matrices times batches of vectors, in n log n memory.

``multiply`` is the operator. ``plan`` chooses how factors are merged into blocks, ``merge`` merges
them, ``steps`` lists the batched matrix products with the layouts they read, ``blocks`` runs them,
and ``factors`` applies factors one after the other where a batch is too small for anything else.
"""

from bestiary.operators.butterfly.blocks import Blocks, merge_all
from bestiary.operators.butterfly.factors import apply_factor
from bestiary.operators.butterfly.operator import explain, multiply
from bestiary.operators.butterfly.plan import ORDERS, PATHS, Order, Plan, plan_for

__all__ = [
    "ORDERS",
    "PATHS",
    "Blocks",
    "Order",
    "Plan",
    "apply_factor",
    "explain",
    "merge_all",
    "multiply",
    "plan_for",
]
