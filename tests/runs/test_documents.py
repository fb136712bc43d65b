from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.runs import documents

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False)
    | st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"))),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abcdef_.-1e", min_size=1, max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(plain)
def test_what_is_dumped_is_read_back_equal_and_of_the_same_types(data):
    assert repr(documents.parse(documents.dump(data), "here")) == repr(data)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e-3", 0.001), ("1E3", 1000.0), ("-2e5", -2e5), (".5", 0.5), ("1.5e-2", 0.015)],
)
def test_numbers_are_numbers_as_people_write_them(text, value):
    read = documents.parse(text, "here")
    assert isinstance(read, float)
    assert read == value


def test_words_that_look_like_numbers_from_afar_stay_words():
    assert documents.parse("[e3, 1e, 1-3, none, base_conv]", "here") == [
        "e3",
        "1e",
        "1-3",
        "none",
        "base_conv",
    ]
    assert math.isinf(documents.parse(".inf", "here"))


def test_a_syntax_error_names_the_file_and_the_line():
    with pytest.raises(UserError, match=r"my\.yaml is not valid YAML at line 3, column"):
        documents.parse("a: 1\nb: [1, 2\nc: 3\n", "my.yaml")


def test_a_key_given_twice_is_refused_with_its_line():
    with pytest.raises(UserError, match="line 3, column 1: the key 'a' is given twice"):
        documents.parse("a: 1\nb: 2\na: 3\n", "my.yaml")


def test_a_tag_that_would_make_an_object_is_refused(tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("a: !!python/object/apply:os.mkdir ['x']\n")
    with pytest.raises(UserError, match="could not determine a constructor"):
        documents.read(bad)


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(UserError, match=r"there is no file '.*none\.yaml'"):
        documents.read(tmp_path / "none.yaml")
    with pytest.raises(UserError, match="is a directory; give a YAML file"):
        documents.read(tmp_path)
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(UserError, match="is not a text file"):
        documents.read(binary)
    empty = tmp_path / "empty.yaml"
    empty.write_text("")
    with pytest.raises(UserError, match="is empty; it must be a mapping"):
        documents.read_mapping(empty)


def test_a_document_that_nests_without_end_is_refused():
    with pytest.raises(UserError, match=r"^the file nests brackets or mappings too deeply"):
        documents.parse("[" * 3000 + "]" * 3000, "the file")


def test_what_is_merged_in_may_be_given_again():
    text = "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\n"
    assert documents.parse(text, "here")["b"] == {"x": 1, "y": 3}
    with pytest.raises(UserError, match="the key 'y' is given twice"):
        documents.parse("a: &a {x: 1}\nb: {<<: *a, y: 3, y: 4}\n", "here")
