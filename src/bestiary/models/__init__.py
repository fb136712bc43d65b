"""Language models made of mixers."""

from bestiary.models.config import ModelConfig
from bestiary.models.language_model import LanguageModel, build_model

__all__ = ["LanguageModel", "ModelConfig", "build_model"]
