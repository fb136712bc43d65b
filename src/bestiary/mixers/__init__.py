"""Sequence mixers, one a file."""

from bestiary.mixers.protocol import Mixer, RecurrentMixer, State
from bestiary.mixers.registry import MIXERS, MixerSpec, build_mixer, mixer_class

__all__ = ["MIXERS", "Mixer", "MixerSpec", "RecurrentMixer", "State", "build_mixer", "mixer_class"]
