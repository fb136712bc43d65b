"""Fit structured matrices to dense ones: exactly where they are members, closely where not."""

from bestiary.structured.fitting.butterfly import fit_butterfly
from bestiary.structured.fitting.fit import Fit
from bestiary.structured.fitting.kaleidoscope import fit_kaleidoscope
from bestiary.structured.fitting.monarch import fit_monarch

__all__ = ["Fit", "fit_butterfly", "fit_kaleidoscope", "fit_monarch"]
