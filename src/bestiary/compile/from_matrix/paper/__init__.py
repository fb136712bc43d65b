"""The paper's own constructions, layer by layer, so that its layer counts are measured.

Arora et al. 2023, "Zoology" (arXiv 2312.04927), appendix H. What each primitive does, at d' = d,
and how many layers it takes are the paper's; which step stands in which layer is chosen here.
Nothing is fused: these programs are written as layers and are not scheduled again.
"""

from bestiary.compile.from_matrix.paper.add import add_block
from bestiary.compile.from_matrix.paper.factor import paper_levels
from bestiary.compile.from_matrix.paper.layers import Layer, program_of_layers
from bestiary.compile.from_matrix.paper.remember import remember_block

__all__ = ["Layer", "add_block", "paper_levels", "program_of_layers", "remember_block"]
