import numpy as np

from bestiary.tasks.protocol import Batch
from bestiary.tasks.roles import Token, roles


def test_roles_by_hand():
    tokens = [2, 8, 4, 7, 4, 0, 2, 4]
    labels = [-100] * 4 + [7, -100, 8, -100]
    batch = Batch(np.array([tokens]), np.array([labels]), {"pairs": np.array([2])})
    told = roles(batch, 0)
    assert told == [
        Token(2, "key", 1),
        Token(8, "value", 1),
        Token(4, "key", 2),
        Token(7, "value", 2),
        Token(4, "query", 2, label=7),
        Token(0, "filler"),
        Token(2, "query", 1, label=8),
        Token(4, "filler"),  # a lookalike that is not scored
    ]
    assert [token.mark for token in told] == ["k1", "v1", "k2", "v2", "q2", ".", "q1", "."]
