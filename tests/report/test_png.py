from __future__ import annotations

import zlib

import vl_convert

from bestiary.report.png import packed_png

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200">'
    '<rect width="300" height="200" fill="#fff"/><rect x="9" y="9" width="50" height="90" '
    'fill="#1F6BE0"/><circle cx="150" cy="100" r="60" fill="#F04A1C"/></svg>'
)


def contents(png):
    """The header, and the filtered pixels; every chunk by its checksum."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, header, pixels, kinds = 8, b"", b"", []
    while at < len(png):
        length = int.from_bytes(png[at : at + 4])
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + data) == int.from_bytes(png[at + 8 + length : at + 12 + length])
        header, pixels = header + data * (kind == b"IHDR"), pixels + data * (kind == b"IDAT")
        kinds.append(kind)
        at += 12 + length
    assert (kinds[0], kinds[-1]) == (b"IHDR", b"IEND")
    return header, zlib.decompress(pixels)


def test_a_packed_picture_has_the_same_pixels_in_fewer_bytes():
    drawn = vl_convert.svg_to_png(SVG, scale=2)
    packed = packed_png(drawn)
    assert len(packed) < len(drawn) / 2
    assert contents(packed) == contents(drawn)


def test_pixels_in_several_parts_are_joined():
    drawn = vl_convert.svg_to_png(SVG, scale=1)
    at = drawn.index(b"IDAT")
    length = int.from_bytes(drawn[at - 4 : at])
    data = drawn[at + 4 : at + 4 + length]
    halves = b""
    for part in (data[:100], data[100:]):
        halves += len(part).to_bytes(4) + b"IDAT" + part
        halves += zlib.crc32(b"IDAT" + part).to_bytes(4)
    split = drawn[: at - 4] + halves + drawn[at + 8 + length :]
    assert contents(split) == contents(drawn)
    assert packed_png(split) == packed_png(drawn)
