from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bestiary.errors import UserError
from bestiary.runs.compilation import How, of_matrix


def test_a_radix_is_refused_where_there_are_no_levels_to_merge(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    path = tmp_path / "kron.npy"
    np.save(path, np.kron(rng.normal(size=(3, 3)), rng.normal(size=(3, 3))))
    assert of_matrix(path, 3, How()).compiled.source.name.endswith("direct")
    with pytest.raises(UserError, match=r"--radix is 4, but .* is no product of levels"):
        of_matrix(path, 3, How(radix=4))
