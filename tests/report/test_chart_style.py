import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from bestiary.report.charts.style import (
    BACKGROUND,
    COLOURS,
    DASHES,
    FAINT,
    INK,
    SHAPES,
    Theme,
    config,
)
from bestiary.report.mark import OUTLINES

THEMES: tuple[Theme, ...] = ("light", "dark")

# Machado, Oliveira, Fernandes (2009), severity 1.0, on linear RGB.
VISION = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
         [0.004733, 0.691367, 0.303900]]
    ),
}  # fmt: skip


def linear(colour: str) -> NDArray[np.float64]:
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2.1, relative luminance."""
    dark, light = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIE L*a*b* under D65 of linear RGB."""
    to_xyz = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
         [0.0193339, 0.1191920, 0.9503041]]
    )  # fmt: skip
    xyz = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.95047, 1, 1.08883])
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
def test_marks_have_three_to_one_and_text_four_and_a_half_to_one(theme: Theme) -> None:
    ground = BACKGROUND[theme]
    assert min(contrast(colour, ground) for colour in COLOURS[theme]) >= 3
    assert min(contrast(text, ground) for text in (INK[theme], FAINT[theme])) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", VISION)
def test_colours_stay_apart_for_every_kind_of_vision(theme: Theme, vision: str) -> None:
    seen = [lab(VISION[vision] @ linear(colour)) for colour in COLOURS[theme]]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2))
    # 2.3 is what an eye just tells apart; marks are small, so far more is asked.
    assert nearest > 15


def test_colour_is_never_the_only_cue() -> None:
    """With shapes the first 56 mixers differ, with dashes the first 42."""
    shaped = {(n % len(COLOURS["light"]), n % len(SHAPES)) for n in range(56)}
    dashed = {(n % len(COLOURS["light"]), n % len(DASHES)) for n in range(42)}
    assert (len(shaped), len(dashed)) == (56, 42)
    # Among as many as a legend holds well, the shape alone tells.
    assert len(set(SHAPES)) == 8 and len({str(dash) for dash in DASHES}) == 6
    assert set(OUTLINES) == set(SHAPES)


@pytest.mark.parametrize("theme", THEMES)
def test_both_themes_configure_the_same_parts(theme: Theme) -> None:
    assert config(theme).keys() == config("light").keys()
    assert config(theme)["background"] == BACKGROUND[theme]
