from __future__ import annotations

import pytest

from bestiary.errors import UserError
from bestiary.imports import load_class, load_extra
from bestiary.mixers.registry import mixer_class


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("def (", "SyntaxError: invalid syntax"),
        ("import sys; sys.exit(4)", "SystemExit: 4"),
        ("import not_there_at_all", "No module named 'not_there_at_all'"),
        ("\0", "SyntaxError: source code string cannot contain null bytes"),
    ],
)
def test_a_module_that_fails_when_imported_is_named_with_its_reason(
    tmp_path, monkeypatch, source, said
):
    (tmp_path / "failing_import.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UserError) as error:
        load_class("failing_import:Mine")
    assert "cannot import module 'failing_import' of 'failing_import:Mine': " in str(error.value)
    assert said in str(error.value)


@pytest.mark.parametrize("path", [".near:Mine", "../near:Mine", "a b:Mine", ":Mine", "near:", ":"])
def test_what_is_no_import_path_is_refused_before_anything_is_imported(path):
    with pytest.raises(UserError, match="is not an import path"):
        load_class(path)


@pytest.mark.parametrize(
    ("path", "meant"),
    [("ema.py:EMA", "ema:EMA"), ("./ema.py:EMA", "ema:EMA"), ("own/ema.py:EMA", "own.ema:EMA")],
)
def test_the_import_path_of_a_file_is_suggested(path, meant):
    with pytest.raises(UserError) as error:
        load_class(path)
    assert f"{path!r} is a file, not an import path; did you mean {meant!r}?" in str(error.value)


def test_a_class_that_is_no_module_of_torch_is_refused_as_a_mixer():
    with pytest.raises(UserError, match=r"^mixer 'builtins:int' is a int, not a torch.nn.Module$"):
        mixer_class("builtins:int")


def test_an_extra_that_lacks_a_library_of_its_own_is_not_called_missing(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import nothing_like_this")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="nothing_like_this"):
        load_extra("half_installed", "half", "halves need")
    with pytest.raises(UserError, match=r"^wholes need the whole extra: pip install 'bestiary\[w"):
        load_extra("not_installed_at_all", "whole", "wholes need")
