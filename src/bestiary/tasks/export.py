"""A task's examples as files and tables that other tools read; works for any task.

Needs polars or safetensors, each only by the function that writes that format, and the ``hf``
extra for Hugging Face datasets.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bestiary.atomic import write_with
from bestiary.errors import UserError
from bestiary.tasks.blocks import spans
from bestiary.tasks.protocol import Batch, Split, Task
from bestiary.tasks.registry import task_spec

if TYPE_CHECKING:
    import datasets
    import polars as pl


def write(task: Task, split: Split, path: Path) -> int:
    """Write all examples of ``split`` to ``path``, by its ending, and return how many there were.

    ``.parquet``: one row an example, with columns segment, index, tokens, labels and those of
    ``Batch.info``, written block by block, so that memory does not grow with the examples.
    ``.safetensors``: the arrays of a batch under their names, as int32; with several segments
    the names begin with ``0.``, ``1.``, …. It is made in memory.
    Both carry the task as JSON in their metadata, under ``task``, for ``build_task``. The file
    appears whole or not at all. Raises ``UserError`` for another ending, ``OSError`` where nothing
    can be written.
    """
    writers: dict[str, Callable[[Task, Split, Path], None]] = {
        ".parquet": _write_parquet,
        ".safetensors": _write_safetensors,
    }
    if path.suffix not in writers:
        raise UserError(f"cannot write {path.name!r} (accepted endings: {', '.join(writers)})")
    if not path.parent.is_dir():
        raise FileNotFoundError(2, "the folder to write to does not exist", str(path.parent))
    write_with(path, lambda part: writers[path.suffix](task, split, part))
    return sum(segment.examples for segment in task.stream(split).segments)


def to_hf(task: Task, split: Split) -> datasets.Dataset:
    """All examples of ``split`` as a Hugging Face dataset, with the columns of the Parquet file.

    Raises ``UserError`` where the ``hf`` extra is not installed.
    """
    try:
        from datasets import Dataset
    except ImportError as error:
        raise UserError(
            "a Hugging Face dataset needs the hf extra: pip install 'bestiary[hf]'"
        ) from error
    columns: dict[str, list[Any]] = {}
    for part in _tables(task, split):
        for name, values in part.items():
            columns.setdefault(name, []).extend(values.tolist())
    return Dataset.from_dict(columns)


def _tables(task: Task, split: Split) -> Iterator[dict[str, NDArray[np.int32]]]:
    """The columns of up to a block of examples at a time, segment after segment."""
    stream = task.stream(split)
    for number, segment in enumerate(stream.segments):
        for rows in spans(segment.examples):
            batch = stream.examples(number, rows)
            head = {"segment": np.full(len(rows), number), "index": np.asarray(rows)}
            yield {name: np.asarray(v, np.int32) for name, v in (head | _arrays(batch)).items()}


def _arrays(batch: Batch) -> dict[str, NDArray[np.int64]]:
    return {"tokens": batch.tokens, "labels": batch.labels, **batch.info}


def _metadata(task: Task, split: Split) -> dict[str, str]:
    return {"task": json.dumps(task_spec(task)), "split": split}


def _write_parquet(task: Task, split: Split, path: Path) -> None:
    import polars as pl
    from polars.io.plugins import register_io_source

    def frame(part: dict[str, NDArray[np.int32]]) -> pl.DataFrame:
        # Lists, not fixed-size arrays: lengths differ between segments, and more tools read them.
        return pl.DataFrame(
            [
                pl.Series(name, values).arr.to_list()
                if values.ndim == 2
                else pl.Series(name, values)
                for name, values in part.items()
            ]
        )

    def source(
        columns: list[str] | None,
        predicate: pl.Expr | None,
        rows: int | None,
        batch: int | None,
    ) -> Iterator[pl.DataFrame]:
        # Only ever scanned whole, by the sink below.
        del columns, predicate, rows, batch
        return map(frame, itertools.takewhile(lambda _: not stopped.is_set(), _tables(task, split)))

    def sink() -> None:
        register_io_source(source, schema=schema).sink_parquet(
            path, metadata=_metadata(task, split), maintain_order=True, row_group_size=16 * 1024
        )

    schema = frame(next(_tables(task, split))).schema
    stopped = threading.Event()
    # In a thread of its own: while one waits for the sink, Python hears of no signal but SIGINT.
    with ThreadPoolExecutor(1) as pool:
        try:
            pool.submit(sink).result()
        finally:
            stopped.set()


def _write_safetensors(task: Task, split: Split, path: Path) -> None:
    from safetensors.numpy import save_file

    stream = task.stream(split)
    tensors: dict[str, NDArray[np.int32]] = {}
    for number, segment in enumerate(stream.segments):
        prefix = f"{number}." if len(stream.segments) > 1 else ""
        batch = stream.examples(number, range(segment.examples))
        for name, array in _arrays(batch).items():
            tensors[prefix + name] = np.ascontiguousarray(array, np.int32)
    save_file(tensors, path, metadata=_metadata(task, split))
