from __future__ import annotations

import subprocess

import pytest

from bestiary.runs.environment import available_cores, commit_of, processor


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True)


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "kept.txt").write_text("1")
    (tmp_path / "ignored").mkdir()
    (tmp_path / "ignored" / "__init__.py").write_text("")
    git(tmp_path, "add", "kept.txt")
    git(tmp_path, "commit", "-q", "-m", "first")
    commit_of.cache_clear()
    return tmp_path


def test_the_commit_and_whether_files_differ_from_it(repository):
    head = subprocess.run(
        ["git", "-C", str(repository), "rev-parse", "HEAD"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert commit_of(repository) == {"commit": head, "dirty": False}
    (repository / "kept.txt").write_text("2")
    commit_of.cache_clear()
    assert commit_of(repository) == {"commit": head, "dirty": True}


def test_a_package_installed_inside_a_repository_is_not_of_it(repository):
    assert commit_of(repository / "ignored", "__init__.py") is None


def test_outside_of_a_repository_there_is_no_commit(tmp_path):
    assert commit_of(tmp_path / "nowhere") is None


def test_the_host_is_told_by_its_kind():
    assert available_cores() >= 1
    assert processor()
