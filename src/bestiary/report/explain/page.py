"""The page on which one input is followed through the layers; it needs no network."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from numpy.typing import NDArray

import bestiary
from bestiary.errors import counted
from bestiary.report.explain.lines import Line
from bestiary.report.explain.step import Sheet, Step
from bestiary.report.explain.words import meaning_of
from bestiary.report.self_contained import asset, inline, script_data, source_hash
from bestiary.runs.explained import Query

FOLDER = "explain"
MARKS = {
    "t": "the trigger, first set and then asked for",
    "a": "what answers it",
    "d": "what is to be copied",
    "m": "a marker that asks for the next of them",
}


def explain_page(sheet: Sheet, query: int = 0) -> str:
    """The page as text. query: number of the question that is followed at first."""
    subject = sheet.subject
    script = "\n".join(asset(f"{FOLDER}/{name}") for name in ("heatmap.js", "explain.js"))
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = environment.from_string(asset(f"{FOLDER}/explain.html"))
    return template.render(
        name=subject.name,
        about=subject.about,
        lead=_lead(sheet),
        two_sides=subject.compiled is not None,
        key=_key(subject.marks),
        tokens=_tokens(sheet),
        by_key=any(query.key is not None for query in subject.queries),
        by_place=any(query.by_place for query in subject.queries),
        steps=len(sheet.steps),
        css=inline(asset("page.css"), "style"),
        own_css=inline(asset(f"{FOLDER}/explain.css"), "style"),
        script=inline(script, "script"),
        script_sources=Markup(source_hash(script)),
        data=script_data(_data(sheet, query)),
        left_out="; ".join(sheet.left_out),
        caution=sheet.caution,
        nothing=nothing(sheet),
        version=bestiary.__version__,
    )


def nothing(sheet: Sheet) -> str:
    """What it means where no number is drawn."""
    return "nothing there" if sheet.subject.compiled is None else "no such row"


def _lead(sheet: Sheet) -> str:
    compiled = sheet.subject.compiled
    if compiled is None:
        return f"It is followed in {counted(len(sheet.steps), 'step')}."
    layers, width = len(compiled.stack.layers), compiled.stack.width
    return f"It moves through {counted(layers, 'layer')} of {counted(width, 'channel')}."


def _key(marks: tuple[str, ...]) -> str:
    letters = {mark[0] for mark in marks if mark}
    if {"k", "q"} <= letters:
        return (
            "First come keys (k) and values (v) in pairs; later a key comes again as a question "
            "(q), and its value has to be said, the number after the arrow."
        )
    said = [f"{letter} {word}" for letter, word in MARKS.items() if letter in letters]
    told = f"Marks: {', '.join(said)}. " if said else ""
    return f"{told}What has to be said at a question is the number after the arrow."


def _tokens(sheet: Sheet) -> list[dict[str, Any]]:
    subject = sheet.subject
    asked = {query.row: number for number, query in enumerate(subject.queries)}
    told = []
    for row, token in enumerate(subject.tokens):
        number = asked.get(row)
        query = None if number is None else subject.queries[number]
        told.append(
            {
                "token": token,
                "mark": subject.marks[row],
                "query": number,
                "label": None if query is None else query.label,
                "said": None if query is None else query.said,
                "asks": "" if query is None else _asks(query, token),
            }
        )
    return told


def _asks(query: Query, token: int) -> str:
    return f"row {query.value}" if query.by_place else f"token {token}"


def question_sentence(query: Query, token: int) -> str:
    """Where a question is answered from, and what the model says."""
    said = "says so" if query.said == query.label else f"says {query.said}"
    if query.value is None:
        return f"Row {query.row}, token {token}, asks for {query.label}; the model {said}."
    if query.key is None:
        return (
            f"Row {query.row}, token {token}, asks for what stands in row {query.value}, "
            f"{counted(query.row - query.value, 'row')} above. So {query.label} has to be said; "
            f"the model {said}."
        )
    return (
        f"Row {query.row} asks for token {token}: it stands in row {query.key}, "
        f"{counted(query.row - query.key, 'row')} above, and {query.label} follows it there, in "
        f"row {query.value}. So {query.label} has to be said; the model {said}."
    )


def _data(sheet: Sheet, query: int) -> dict[str, Any]:
    subject = sheet.subject
    queries = [
        {
            "row": one.row,
            "key": one.key,
            "value": one.value,
            "distance": one.distance,
            "told": question_sentence(one, subject.tokens[one.row]),
        }
        for one in subject.queries
    ]
    return {
        "rows": list(sheet.rows),
        "tokens": list(subject.tokens),
        "marks": list(subject.marks),
        "queries": queries,
        "query": query if queries else None,
        "start": min(1, len(sheet.steps) - 1),
        "layers": len(subject.compiled.stack.layers) if subject.compiled else 0,
        "steps": [_step(step, sheet) for step in sheet.steps],
    }


def _step(step: Step, sheet: Sheet) -> dict[str, Any]:
    groups = dict.fromkeys(line.group for line in step.lines)
    meanings = ((group, meaning_of(group, sheet.subject.meanings)) for group in groups)
    two = step.gate is not None
    return {
        "title": step.title,
        "number": step.number,
        "sizes": step.sizes,
        "sentence": step.sentence,
        "meanings": [pair for pair in meanings if pair[1]],
        "largest": largest(step),
        "lines": [_line(line) for line in step.lines],
        "cells": step.cells,
        "gate": packed(step.gate),
        "convolution": packed(step.convolution),
        # The page multiplies the sides itself.
        "product": None if two else packed(step.product),
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "group": line.group,
        "channel": line.channel,
        "role": line.role,
        "delay": line.delay,
        "how": line.how,
        "distance": line.distance,
        "copies": line.copies,
        "kept": line.kept,
    }


def largest(step: Step) -> float:
    """The largest number in size that is finite, over the sides that are drawn; 1 where all are 0.

    What is darkest in the picture of this layer.
    """
    arrays = (step.gate, step.convolution, step.product)
    return max(_size(array) for array in arrays if array is not None) or 1.0


def _size(array: NDArray[np.float64]) -> float:
    """The largest finite number in size; 0 where there is none."""
    return float(np.abs(array[np.isfinite(array)]).max(initial=0))


def packed(array: NDArray[np.float64] | None) -> tuple[str, float] | None:
    """Float32, compressed, in base64, and what it is multiplied by where float32 does not reach.

    Bits of ±1 take a small part of what they would.
    """
    if array is None:
        return None
    size = _size(array)
    scale = size if size > float(np.finfo(np.float32).max) else 1.0
    raw = np.ascontiguousarray(array / scale, dtype="<f4").tobytes()
    return base64.b64encode(zlib.compress(raw, 6)).decode(), scale
