"""Sequence mixers, one a file."""

from bestiary.mixers.attention import Attention
from bestiary.mixers.base_conv import BaseConv
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.based import Based
from bestiary.mixers.h3 import H3
from bestiary.mixers.hyena import Hyena
from bestiary.mixers.protocol import Mixer, RecurrentMixer, State
from bestiary.mixers.registry import MIXERS, MixerSpec, build_mixer, mixer_class
from bestiary.mixers.short_conv import ShortConv
from bestiary.mixers.sliding_window import SlidingWindow

__all__ = [
    "H3",
    "MIXERS",
    "Attention",
    "BaseConv",
    "BaseConvLayer",
    "BaseConvStack",
    "Based",
    "Hyena",
    "Mixer",
    "MixerSpec",
    "RecurrentMixer",
    "ShortConv",
    "SlidingWindow",
    "State",
    "build_mixer",
    "mixer_class",
]
