"""Trainable structured matrices in place of ``nn.Linear``."""

from bestiary.structured.layers.butterfly_linear import ButterflyLinear
from bestiary.structured.layers.kaleidoscope_linear import KaleidoscopeLinear
from bestiary.structured.layers.start import STARTS, Start

__all__ = ["STARTS", "ButterflyLinear", "KaleidoscopeLinear", "Start"]
