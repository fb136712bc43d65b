import itertools
import json
import os
import signal

import numpy as np
import polars as pl
import pytest
from safetensors.numpy import load_file

from bestiary.cli.main import main
from bestiary.tasks import TASKS, build_task, export, task_class
from bestiary.tasks.duplicates import count_duplicates
from bestiary.tasks.facts import measure
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.segments import Segment


def run(capsys, *arguments, task="mqar"):
    code = main(["data", task, *arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def read_picture(text):
    """(mark, token, label or None) of every token of one printed example, from its columns."""
    told, lines = [], text.splitlines()[1:]
    for number, line in enumerate(lines):
        if not line.startswith("role"):
            continue
        marks, tokens = line[6:], lines[number + 1][6:]
        labels = (
            lines[number + 2][6:]
            if lines[number + 2 :][:1] and lines[number + 2].startswith("label")
            else ""
        )
        ends = [
            i + 1
            for i in range(len(marks))
            if marks[i] != " " and marks[i + 1 : i + 2] in ("", " ")
        ]
        for start, end in zip([0, *ends], ends, strict=False):
            label = labels[start:end].strip()
            told.append(
                (marks[start:end].strip(), int(tokens[start:end]), int(label) if label else None)
            )
    return told


def test_an_example_is_printed_so_that_it_can_be_read_without_colours(capsys):
    code, out, _ = run(
        capsys, "--vocab-size", "300", "--length", "48", "--pairs", "5", "--examples", "1"
    )
    assert code == 0
    assert "\x1b" not in out
    batch = MQAR(300, (Segment(48, 5),)).stream("test").examples(0, range(1))
    told = read_picture(out)
    assert [token for _, token, _ in told] == batch.tokens[0].tolist()
    assert [-100 if label is None else label for *_, label in told] == batch.labels[0].tolist()
    assert [mark for mark, *_ in told][:10] == [f"{c}{i}" for i in range(1, 6) for c in "kv"]
    assert sorted(mark for mark, _, label in told if label is not None) == [
        f"q{i}" for i in range(1, 6)
    ]


def test_three_examples_of_each_segment_are_printed_unless_more_are_asked_for(capsys):
    _, out, _ = run(capsys, "--segment", "16:2", "--segment", "32:4:2")
    assert out.count("length 16, 2 pairs") == 3
    assert out.count("length 32, 4 pairs") == 2
    _, out, _ = run(capsys, "--examples", "7")
    assert out.count("length 64, 4 pairs") == 7


SMALL = {
    "associative-recall": (["--vocab-size", "40", "--pairs", "3"], {"segments": [{"pairs": 3}]}),
    "induction": (["--vocab-size", "40", "--length", "9"], {"segments": [{"length": 9}]}),
    "selective-copy": (
        ["--vocab-size", "40", "--length", "20", "--items", "3", "--noise", "2"],
        {"segments": [{"length": 20, "items": 3}], "noise": 2},
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_other_tasks_are_printed_and_given_as_json_too(capsys, name):
    options, settings = SMALL[name]
    task = build_task({"name": name, "vocab_size": 40, **settings})
    code, out, _ = run(capsys, *options, "--examples", "1", task=name)
    assert code == 0
    batch = task.stream("test").examples(0, range(2))
    told = read_picture(out)
    assert [token for _, token, _ in told] == batch.tokens[0].tolist()
    assert [-100 if label is None else label for *_, label in told] == batch.labels[0].tolist()
    _, out, _ = run(capsys, *options, "--examples", "2", "--json", task=name)
    rows = json.loads(out)
    assert [row["tokens"] for row in rows] == batch.tokens.tolist()
    assert all([row[key] for row in rows] == batch.info[key].tolist() for key in batch.info)


@pytest.mark.parametrize(
    ("name", "segments", "head"),
    [
        ("associative-recall", ["3", "5:1"], ["length 7, 3 pairs", "length 11, 5 pairs"]),
        ("induction", ["9", "20:1"], ["length 9", "length 20"]),
        ("selective-copy", ["9:3", "20:4:1"], ["length 9, 3 items", "length 20, 4 items"]),
    ],
)
def test_segments_of_other_tasks_are_typed_as_their_numbers(capsys, name, segments, head):
    given = [part for text in segments for part in ("--segment", text)]
    _, out, _ = run(capsys, *given, task=name)
    heads = [line.split(": ")[1] for line in out.splitlines() if line.startswith("test ")]
    assert heads == 3 * head[:1] + head[1:]


def test_duplicates_of_a_task_without_pairs_do_not_speak_of_them(capsys):
    _, out, _ = run(capsys, "--length", "4", "--vocab-size", "6", "--duplicates", task="induction")
    assert "pairs " not in out.splitlines()[0]
    # A trigger at 2 places and 2 tokens of 5: 50 sequences.
    assert "Length 4: at most 10^1.7 sequences" in out
    options = ["--length", "8", "--items", "2", "--train-examples", "100", "--duplicates"]
    _, out, _ = run(capsys, *options, task="selective-copy")
    assert out.split()[:4] == ["split", "length", "items", "examples"]


@pytest.mark.parametrize(
    ("name", "arguments", "part"),
    [
        ("associative-recall", ["--vocab-size", "8", "--pairs", "4"], "for 3 (accepted"),
        ("associative-recall", ["--vocabulary", "both"], "unknown vocabulary 'both'"),
        ("associative-recall", ["--segment", "4:4:4"], "PAIRS or PAIRS:EXAMPLES"),
        ("induction", ["--length", "2"], "length is 2"),
        ("induction", ["--segment", "64", "--length", "9"], "says length; leave --length out"),
        ("selective-copy", ["--length", "9", "--items", "5"], "5 items do not fit in length 9"),
        ("selective-copy", ["--vocab-size", "8", "--noise", "6"], "noise is 6"),
    ],
)
def test_a_mistake_about_another_task_is_one_sentence(capsys, name, arguments, part):
    code, out, err = run(capsys, *arguments, task=name)
    assert (code, out) == (2, "")
    assert part in err
    assert len(err.strip().splitlines()) == 1


def test_json_has_the_examples_of_the_library(capsys):
    _, out, _ = run(capsys, "--json", "--examples", "4", "--split", "train", "--seed", "9")
    batch = MQAR(seed=9).stream("train").examples(0, range(4))
    rows = json.loads(out)
    assert [row["tokens"] for row in rows] == batch.tokens.tolist()
    assert [row["labels"] for row in rows] == batch.labels.tolist()
    assert [row["gap"] for row in rows] == batch.info["gap"].tolist()
    assert [row["pairs"] for row in rows] == [4] * 4


def test_stats_and_duplicates_as_json_are_those_of_the_library(capsys):
    options = [
        "--vocab-size",
        "20",
        "--segment",
        "16:2",
        "--filler",
        "any",
        "--train-examples",
        "2000",
    ]
    _, out, _ = run(capsys, *options, "--stats", "--duplicates", "--json", "--examples", "500")
    task = MQAR(20, (Segment(16, 2),), filler="any", train_examples=2000, test_examples=500)
    told = json.loads(out)
    assert told["stats"] == [vars(facts) for facts in measure(task, "test")]
    assert told["duplicates"] == [vars(row) for row in count_duplicates(task)]


def test_the_stats_table_tells_the_collisions_of_published_filler(capsys):
    _, out, _ = run(capsys, "--vocab-size", "256", "--pairs", "8", "--filler", "any", "--stats")
    (facts,) = measure(MQAR(256, (Segment(64, 8),), filler="any"), "test")
    assert f"{facts.filler_keys:.3%}" in out
    assert 0.03 < facts.filler_keys < 0.033
    assert f"{facts.shadowed:.3%}" in out


def test_the_duplicates_table_says_that_small_vocabularies_make_them_certain(capsys):
    options = ["--vocab-size", "20", "--length", "16", "--pairs", "2", "--filler", "none"]
    _, out, _ = run(capsys, *options, "--duplicates", "--train-examples", "20000")
    words = " ".join(out.split())
    assert "A small vocabulary makes duplicates certain" in words
    # 9·8 keys, 10·9 values, 6·5 places: 194,400 sequences; 24,000 make C(24000, 2) / 194400 pairs.
    assert "at most 10^5.3 sequences, 24,000 drawn, at least 1,481 equal pairs" in words


def test_dropping_duplicates_leaves_fewer_examples(capsys, tmp_path):
    options = ["--vocab-size", "20", "--length", "16", "--pairs", "2", "--filler", "none"]
    path = tmp_path / "test.parquet"
    code, *_ = run(
        capsys, *options, "--drop-duplicates", "--train-examples", "5000", "--out", str(path)
    )
    assert code == 0
    assert 2000 < len(pl.read_parquet(path)) < 3000


def test_parquet_and_safetensors_hold_the_same_data(capsys, tmp_path):
    for name in ("a.parquet", "a.safetensors"):
        code, out, _ = run(
            capsys, "--examples", "50", "--split", "train", "--out", str(tmp_path / name)
        )
        assert code == 0
        assert "50 train examples" in out
    table, arrays = pl.read_parquet(tmp_path / "a.parquet"), load_file(tmp_path / "a.safetensors")
    for name in ("tokens", "labels", "pairs", "gap"):
        assert np.array_equal(np.array(table[name].to_list()), arrays[name])


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--vocab-size", "8", "--pairs", "4"], "has 3"),
        (["--length", "16", "--pairs", "5"], "5 pairs do not fit in length 16"),
        (["--examples", "0"], "no test examples"),
        (["--filler", "randm"], "did you mean 'random'"),
        (["--split", "tst"], "did you mean 'test'"),
        (["--segment", "64x4"], "LENGTH:PAIRS"),
        (["--segment", "64:4", "--length", "64"], "leave --length and --pairs out"),
        (["--power-a", "0"], "power_a is 0.0"),
        (["--seed", "-1"], "seed is -1"),
        (["--vocab", "8"], "--vocab"),
        (["--vocab-size", "many"], "many"),
        (["--out", "data.csv"], ".parquet"),
        (["--out", "no/such/folder/data.parquet"], "no/such/folder"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(capsys, arguments, part):
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert part in err
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err


def test_a_folder_in_the_files_place_is_named(capsys, tmp_path):
    (tmp_path / "a.parquet").mkdir()
    code, _, err = run(capsys, "--examples", "5", "--out", str(tmp_path / "a.parquet"))
    assert code == 2
    assert "a.parquet: Is a directory" in err
    assert [p.name for p in tmp_path.iterdir()] == ["a.parquet"]


def test_tasks_are_listed_with_their_defaults(capsys):
    assert main(["tasks"]) == 0
    out = capsys.readouterr().out
    for segments in ("[{length: 64, pairs: 4}]", "[{length: 64}]", "[{length: 64, items: 8}]"):
        assert f"segments: {segments}" in out
    assert main(["tasks", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert [entry["name"] for entry in entries] == list(TASKS)
    for entry in entries:
        assert task_class(entry["name"])(**entry["options"]) == build_task({"name": entry["name"]})


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_export_that_is_stopped_ends_at_once_and_leaves_no_file(
    capsys, tmp_path, monkeypatch, number, code
):
    def endless(task, split):
        for count in itertools.count():
            if count == 3:
                os.kill(os.getpid(), number)
            yield from blocks(task, split)

    blocks = export._tables
    monkeypatch.setattr(export, "_tables", endless)
    ended, _, err = run(capsys, "--examples", "2000", "--out", str(tmp_path / "a.parquet"))
    assert ended == code
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())
