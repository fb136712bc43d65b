from __future__ import annotations

import errno
import os

import pytest

from bestiary.atomic import read_json, write_json, write_text, write_with


def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    path = tmp_path / "status.json"
    write_json(path, {"status": "running"})

    def fill_the_disk(part):
        part.write_text('{"sta')
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space left"):
        write_with(path, fill_the_disk)
    assert read_json(path) == {"status": "running"}
    assert [left.name for left in tmp_path.iterdir()] == ["status.json"]


def test_files_can_be_read_by_others_as_the_umask_says(tmp_path):
    before = os.umask(0o022)
    try:
        write_text(tmp_path / "a.txt", "ä\n")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "a.txt").read_bytes() == "ä\n".encode()


def test_json_that_is_missing_or_cut_off_reads_as_none(tmp_path):
    assert read_json(tmp_path / "none.json") is None
    (tmp_path / "cut.json").write_text('{"a": [1, 2')
    assert read_json(tmp_path / "cut.json") is None


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "somewhere/a part"),
        OSError("No space left on device (os error 28)"),
        RuntimeError("I/O error: No space left on device (os error 28)"),
    ],
)
def test_what_a_library_says_of_a_full_disk_is_an_error_of_the_file_asked_for(tmp_path, error):
    def fill_the_disk(part):
        raise error

    with pytest.raises(OSError, match="No space left on device") as raised:
        write_with(tmp_path / "a.parquet", fill_the_disk)
    assert (raised.value.errno, raised.value.filename) == (28, str(tmp_path / "a.parquet"))
    assert not list(tmp_path.iterdir())


def test_any_other_error_of_a_writer_passes_as_it_is(tmp_path):
    def fail(part):
        raise ValueError("no such column")

    with pytest.raises(ValueError, match="no such column"):
        write_with(tmp_path / "a.parquet", fail)
