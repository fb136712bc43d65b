"""A compiled stack as a picture: channels down, layers across, and what each layer reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from bestiary.compile.layout import Layout, Place
from bestiary.errors import counted
from bestiary.report.charts.style import BACKGROUND, COLOURS, FAINT, FONT, INK, Theme

MOST_CHANNELS, MOST_LAYERS, MOST_LINES = 48, 48, 4000
"""More are not drawn, and the picture says so: a person cannot follow them."""

BOX, BOX_HEIGHT, COLUMN, ROW = 124, 22, 184, 30
LEFT, TOP = 36, 46
LETTERS = 17
"""Of a name that fit into a box; of longer ones what differs from others of the layer is kept."""
CROWD = 120
"""Gate lines into a layer above which they are drawn so faintly that boxes can be seen."""

SAID = {
    "input": "given",
    "sum": "sum of channels (gate side)",
    "filter": "filter of a channel (convolution side)",
    "product": "product of both sides",
    "carried": "carried",
    "copied": "copied to another channel",
    "constant": "constant",
}
LOOKS = {"input": 0, "sum": 2, "filter": 3, "product": 1, "carried": None, "copied": 4}
"""Numbers of ``charts.style.COLOURS``; None is an outline alone."""


@dataclass(frozen=True)
class Picture:
    """An SVG and what had to be left out of it."""

    svg: Markup
    left_out: str


def picture(layout: Layout, theme: Theme | None = "light") -> Picture:
    """Draw a layout, in one theme, or with None in that of the page it will stand in.

    Every box is a channel after a layer. Thin lines come from the channels that the gate side
    reads, a thick one from the channel that is convolved. Each box has a tooltip, which names it to
    who cannot see it as well, and, as data attributes, its place, so that a page can light up what
    it reads.
    """
    shown = [
        [place for place in layer if place.channel < MOST_CHANNELS]
        for layer in layout.layers[: MOST_LAYERS + 1]
    ]
    rows = 1 + max((place.channel for layer in shown for place in layer), default=0)
    lines = list(_lines(shown))
    parts = [*lines[:MOST_LINES], *_headings(shown), *_channel_numbers(shown), *_boxes(shown)]
    width = LEFT + 16 + COLUMN * (len(shown) - 1) + BOX
    height = TOP + ROW * rows + 8
    svg = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="layout" viewBox="0 0 {w} {h}" width="{w}" '
        'height="{h}" role="group" aria-label="{label}"><style>{style}</style>'
        '<rect class="ground" width="{w}" height="{h}"/>{parts}</svg>'
    ).format(
        w=width,
        h=height,
        label=(
            f"The {counted(len(layout.layers) - 1, 'layer')} and "
            f"{counted(layout.width, 'channel')} of {layout.name}"
        ),
        style=_style(theme),
        parts=Markup("").join(parts),
    )
    return Picture(svg, _left_out(layout, len(lines)))


def described(place: Place) -> str:
    """What a channel holds and how it came there, in one sentence."""
    where = f"layer {place.layer}, channel {place.channel}"
    delay = f", {counted(place.delay, 'row')} late" if place.delay else ""
    if place.role == "input":
        return f"{place.name}: given, channel {place.channel}"
    sides = []
    if place.gated:
        sides.append(f"gate side reads {_channels(place.gated)}")
    if place.convolved is not None:
        sides.append(f"convolution side {place.filter} on channel {place.convolved}")
    if place.masked:
        sides.append("differs from row to row")
    how = "; ".join([SAID[place.role], *sides])
    return f"{place.name}: {how} ({where}{delay})"


def _channels(channels: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, channels[:8]))
    more = f" and {len(channels) - 8} more" if len(channels) > 8 else ""
    return f"channel{'' if len(channels) == 1 else 's'} {shown}{more}"


def _left_out(layout: Layout, lines: int) -> str:
    parts = []
    if layout.width > MOST_CHANNELS:
        parts.append(f"channels {MOST_CHANNELS} to {layout.width - 1}")
    if len(layout.layers) > MOST_LAYERS + 1:
        parts.append(f"layers {MOST_LAYERS + 1} to {len(layout.layers) - 1}")
    if lines > MOST_LINES:
        parts.append(counted(lines - MOST_LINES, "line"))
    return f"Not drawn: {'; '.join(parts)}." if parts else ""


def _corner(layer: int, channel: int) -> tuple[int, int]:
    return LEFT + COLUMN * layer, TOP + ROW * channel


def _headings(shown: list[list[Place]]) -> Iterator[Markup]:
    for layer in range(len(shown)):
        x, _ = _corner(layer, 0)
        text = f"layer {layer}" if layer else "input"
        yield Markup('<text class="heading" x="{}" y="24">{}</text>').format(x + BOX // 2, text)


def _channel_numbers(shown: list[list[Place]]) -> Iterator[Markup]:
    """Beside the first column; every box says its own, so these are for the eye alone."""
    for channel in sorted({place.channel for layer in shown for place in layer}):
        x, y = _corner(0, channel)
        yield Markup('<text class="heading" aria-hidden="true" x="{}" y="{}">{}</text>').format(
            x - LEFT // 2, y + 15, channel
        )


def short_names(places: Sequence[Place]) -> list[str]:
    """What is written into the boxes of a layer, no two alike.

    Of a long name the words stay that others do not share, or else its ends; where names would
    still be alike, each has its channel before it.
    """
    names = [place.name for place in places]
    differing = _differing([name for name in names if len(name) > LETTERS])
    cut = [_ends(differing.get(name, name), LETTERS) for name in names]
    repeated = {name for name, count in Counter(cut).items() if count > 1}
    return [
        f"{place.channel}: {_ends(place.name, LETTERS - 4)}" if name in repeated else name
        for place, name in zip(places, cut, strict=True)
    ]


def _differing(names: Sequence[str]) -> dict[str, str]:
    """Each name with the words left out that all have in that place, counted from their ends."""
    if len(set(names)) < 2:
        return {}
    split = {name: name.split() for name in names}
    most = max(map(len, split.values()))
    # Shorter names have nothing where longer ones begin.
    padded = {name: [""] * (most - len(words)) + words for name, words in split.items()}
    shared = [len(set(column)) == 1 for column in zip(*padded.values(), strict=True)]
    told = {}
    for name, words in padded.items():
        kept = ["…" if same else word.rstrip(",") for word, same in zip(words, shared, strict=True)]
        # One mark for a run of shared words, and no spaces beside it.
        told[name] = re.sub(" *…[ …]*", "…", " ".join(word for word in kept if word))
    return told


def _ends(name: str, letters: int) -> str:
    """A name in so many letters, its middle left out."""
    if len(name) <= letters:
        return name
    after = letters // 2
    return f"{name[: letters - after - 1]}…{name[-after:]}"


def _lines(shown: list[list[Place]]) -> Iterator[Markup]:
    for places in shown[1:]:
        crowded = sum(len(place.gated) for place in places) > CROWD
        for place in places:
            to = _corner(place.layer, place.channel)
            sources = [(channel, "gate many" if crowded else "gate") for channel in place.gated]
            if place.convolved is not None:
                sources.append((place.convolved, "carry" if place.role == "carried" else "conv"))
            for channel, kind in sources:
                if channel < MOST_CHANNELS:
                    yield _line(place, _corner(place.layer - 1, channel), to, channel, kind)


def _line(
    place: Place, start: tuple[int, int], end: tuple[int, int], channel: int, kind: str
) -> Markup:
    x0, y0 = start[0] + BOX, start[1] + BOX_HEIGHT // 2
    x1, y1 = end[0], end[1] + BOX_HEIGHT // 2
    bend = (x1 - x0) // 2
    return Markup('<path class="{}" data-to="{}" data-from="{}" d="{}"/>').format(
        kind,
        f"{place.layer}-{place.channel}",
        f"{place.layer - 1}-{channel}",
        f"M{x0} {y0}C{x0 + bend} {y0} {x1 - bend} {y1} {x1} {y1}",
    )


def _boxes(shown: list[list[Place]]) -> Iterator[Markup]:
    for places in shown:
        for place, name in zip(places, short_names(places), strict=True):
            x, y = _corner(place.layer, place.channel)
            kind = f"{place.role}{' read' if place.read else ''}"
            yield Markup(
                '<g class="box {kind}" tabindex="0" role="img" aria-label="{title}" '
                'data-at="{at}"><title>{title}</title>'
                '<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="4"/>'
                '<text x="{tx}" y="{ty}">{name}</text></g>'
            ).format(
                kind=kind,
                at=f"{place.layer}-{place.channel}",
                title=described(place),
                x=x,
                y=y,
                w=BOX,
                h=BOX_HEIGHT,
                tx=x + BOX // 2,
                ty=y + 15,
                name=escape(name),
            )


def _style(theme: Theme | None) -> Markup:
    def themed(light: str, dark: str) -> str:
        if theme is None:
            return f"light-dark({light},{dark})"
        return light if theme == "light" else dark

    colours = [themed(*pair) for pair in zip(COLOURS["light"], COLOURS["dark"], strict=True)]
    ink, faint = themed(INK["light"], INK["dark"]), themed(FAINT["light"], FAINT["dark"])
    ground = themed(BACKGROUND["light"], BACKGROUND["dark"])
    rules = [
        f".layout text{{font:11px {FONT};fill:{ink};text-anchor:middle}}",
        f".layout .heading{{fill:{faint};font-size:12px}}",
        f".layout .ground{{fill:{ground}}}",
        f".layout .box rect{{fill:{ground};stroke:{faint};stroke-width:1}}",
        ".layout .carried rect{stroke-dasharray:3 3}",
        f".layout .read rect{{stroke:{ink};stroke-width:3}}",
        ".layout path{fill:none}",
        f".layout .gate{{stroke:{faint};stroke-width:.8;opacity:.55}}",
        f".layout .conv{{stroke:{colours[3]};stroke-width:2.2}}",
        f".layout .carry{{stroke:{faint};stroke-width:1.4;stroke-dasharray:3 3}}",
        ".layout .many{stroke-width:.5;opacity:.12}",
        ".layout.tracing path,.layout.tracing .box{opacity:.12}",
        ".layout.tracing .many{opacity:.03}",
        ".layout.tracing .lit{opacity:1}",
        ".layout.tracing .gate.lit{stroke-width:1.2}",
    ]
    for role, number in LOOKS.items():
        if number is not None:
            rules.append(
                f".layout .{role}:not(.read) rect{{stroke:{colours[number]};stroke-width:2}}"
            )
            rules.append(f".layout .{role} rect{{fill:{colours[number]};fill-opacity:.16}}")
    return Markup("".join(rules))
