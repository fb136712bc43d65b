from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bestiary.errors import UserError
from bestiary.runs.compilation import How, of_matrix


@pytest.mark.parametrize("size", [1e-320, 1e-295, 1e300, 1.7e308])
@pytest.mark.filterwarnings("error")
def test_entries_whose_products_leave_float64_are_refused_with_their_size(
    size: float, tmp_path: Path
) -> None:
    for one in (size, size * 1j, -size):
        np.save(tmp_path / "m.npy", np.diag(np.full(4, one)))
        with pytest.raises(UserError, match=r"the largest entry of .* so scale the matrix") as told:
            of_matrix(tmp_path / "m.npy", 1, How())
        assert f"m.npy is {size:.2g} in size" in str(told.value)


def test_tiny_entries_beside_others_are_compiled(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.diag([1.0, 1e-320, 2, 0]))
    made = of_matrix(tmp_path / "m.npy", 1, How())
    assert made.error == 0


def test_a_radix_is_refused_where_there_are_no_levels_to_merge(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    path = tmp_path / "kron.npy"
    np.save(path, np.kron(rng.normal(size=(3, 3)), rng.normal(size=(3, 3))))
    assert of_matrix(path, 3, How()).compiled.source.name.endswith("direct")
    with pytest.raises(UserError, match=r"the radix is 4, but .* is no product of levels"):
        of_matrix(path, 3, How(radix=4))
