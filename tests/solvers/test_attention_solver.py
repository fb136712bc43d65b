from __future__ import annotations

import torch
from recall_by_hand import small_task

from bestiary.models.language_model import LanguageModel
from bestiary.solvers.attention import AttentionSolver


def test_it_is_the_trained_architecture_and_its_state_is_the_cache_of_both_layers():
    model = AttentionSolver(small_task(32, 64)).build()
    assert type(model.model) is LanguageModel
    # Token and previous token of 5 bits, two positions of 6, the first: 23 features, 46 channels.
    assert (model.size.layers, model.size.width, model.size.rows) == (2, 46, 64)
    assert model.state_size(10) == 2 * (2 * 46) * 10
    # Embeddings; a mixer's maps of 46 to 3 · 46 and 46 to 46, with biases; three norms.
    mixer = 46 * 138 + 138 + 46 * 46 + 46
    assert model.size.dense == (32 + 64) * 46 + 2 * mixer + 3 * 2 * 46


def test_the_first_layer_copies_the_previous_token():
    model = AttentionSolver(small_task(32, 64)).build().model
    tokens = torch.randint(32, (2, 64), generator=torch.Generator().manual_seed(0))
    embedded = model.embed(tokens)
    written = (model.blocks[0](embedded) - embedded)[..., 5:10]
    bits = 2.0 * (tokens[..., None] >> torch.arange(5) & 1) - 1
    torch.testing.assert_close(written[:, 1:], bits[:, :-1], rtol=0, atol=1e-5)


def test_weights_are_the_same_each_time_and_torch_s_generator_is_left_alone():
    torch.manual_seed(3)
    first = AttentionSolver(small_task(8, 8), repeat="first").build()
    drawn = torch.rand(1)
    torch.manual_seed(3)
    assert torch.equal(drawn, torch.rand(1))
    second = AttentionSolver(small_task(8, 8), repeat="first").build()
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(one, other)
        assert not one.requires_grad
