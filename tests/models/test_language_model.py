"""The labelled-only head says what the full head says, and a model reports its own size."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from bestiary.errors import UserError
from bestiary.models import LanguageModel, ModelConfig, build_model
from bestiary.models.block import Block

VOCAB, LENGTH, WIDTH = 11, 7, 8


def model(**options) -> LanguageModel:
    config = ModelConfig(d_model=WIDTH, mixers=("attention",), **options)
    return build_model(config, VOCAB, LENGTH, seed=3).double()


def tokens(batch=3, length=LENGTH) -> torch.Tensor:
    return torch.randint(VOCAB, (batch, length), generator=torch.Generator().manual_seed(1))


class Keep(nn.Module):
    """Returns its input, or what a test asks for."""

    def __init__(self, result=None):
        super().__init__()
        self.result = result

    def forward(self, x):
        return x if self.result is None else self.result(x)

    def state_size(self, length):
        return 5 * length


@pytest.mark.parametrize("mlp_expansion", [0.0, 2.0])
@pytest.mark.parametrize("positions", ["learned", "none"])
def test_logits_at_labelled_positions_are_those_of_the_full_head(mlp_expansion, positions):
    m = model(mlp_expansion=mlp_expansion, positions=positions)
    x = tokens()
    where = torch.tensor([0, 6, 7, 13, 20])
    full = m(x)
    assert full.shape == (3, LENGTH, VOCAB)
    torch.testing.assert_close(m(x, where), full.flatten(0, 1)[where], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mlp_expansion", [0.0, 2.0])
def test_labelled_only_loss_and_gradients_are_those_of_a_masked_full_loss(mlp_expansion):
    m = model(mlp_expansion=mlp_expansion)
    x = tokens()
    labels = torch.full(x.shape, -100)
    labels[0, 2], labels[1, 6], labels[2, 0], labels[2, 5] = 4, 0, 10, 3
    where = (labels.flatten() != -100).nonzero().flatten()

    full = F.cross_entropy(m(x).flatten(0, 1), labels.flatten())
    wanted = torch.autograd.grad(full, list(m.parameters()))
    ours = F.cross_entropy(m(x, where), labels.flatten()[where])
    got = torch.autograd.grad(ours, list(m.parameters()))

    torch.testing.assert_close(ours, full, rtol=1e-12, atol=1e-12)
    for (name, _), g, w in zip(m.named_parameters(), got, wanted, strict=True):
        torch.testing.assert_close(g, w, rtol=1e-10, atol=1e-12, msg=name)


def test_the_head_is_the_embedding_applied_to_what_hidden_returns():
    m = model()
    x = tokens()
    by_hand = m.hidden(x).detach().numpy() @ m.embedding.weight.detach().numpy().T
    np.testing.assert_allclose(m(x).detach().numpy(), by_hand, rtol=1e-12)


def test_a_block_is_two_residuals_around_norms():
    class Shift(Keep):
        def forward(self, x):
            return torch.roll(x, 1, dims=1)

    block = Block(Shift(), WIDTH, mlp_hidden=16).double()
    x = torch.randn(2, 5, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(0))

    def norm(v):
        centred = v - v.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)

    v = x.numpy()
    v = v + np.roll(norm(v), 1, axis=1)
    up, down = block.mlp.up, block.mlp.down
    hidden = norm(v) @ up.weight.detach().numpy().T + up.bias.detach().numpy()
    erf = torch.erf(torch.from_numpy(hidden) / 2**0.5).numpy()
    v = v + (0.5 * hidden * (1 + erf)) @ down.weight.detach().numpy().T + down.bias.detach().numpy()
    np.testing.assert_allclose(block(x).detach().numpy(), v, rtol=1e-10)


def test_parameters_count_the_tied_embedding_once():
    config = ModelConfig(d_model=4, n_layers=1, mixers=("attention",), mlp_expansion=2)
    m = LanguageModel(config, vocab_size=10, max_length=6)
    m.blocks[0].mixer = Keep()
    # Embedding 10x4, positions 6x4, three norms of 2x4, MLP 4x8+8 and 8x4+4.
    assert m.parameter_count == 40 + 24 + 24 + 40 + 36


def test_state_size_sums_the_layers():
    m = model(n_layers=2)
    m.blocks[0].mixer = Keep()
    m.blocks[1].mixer = Keep()
    assert m.state_size(7) == 70


def test_without_positions_the_order_is_known_only_to_the_mixers():
    m = model(positions="none")
    for block in m.blocks:
        block.mixer = Keep()
    x = tokens(batch=1)
    torch.testing.assert_close(m(x.flip(1)), m(x).flip(1))
    learned = model(positions="learned")
    for block in learned.blocks:
        block.mixer = Keep()
    assert not torch.allclose(learned(x.flip(1)), learned(x).flip(1))


def test_embeddings_start_with_the_standard_deviation_asked_for():
    config = ModelConfig(d_model=64, mixers=("attention",), embedding_std=0.07)
    m = build_model(config, 2000, 500, seed=0)
    for table in (m.embedding, m.position_embedding):
        assert table.weight.std().item() == pytest.approx(0.07, rel=0.02)
        assert table.weight.mean().item() == pytest.approx(0.0, abs=0.002)


def test_a_seed_decides_the_weights_and_the_global_generator_stays_where_it_was():
    config = ModelConfig(d_model=8, mixers=("attention",))
    torch.manual_seed(5)
    before = torch.get_rng_state()
    one, same, other = (build_model(config, 9, 4, seed) for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    for (name, a), b in zip(one.state_dict().items(), same.state_dict().values(), strict=True):
        assert torch.equal(a, b), name
    assert not torch.equal(one.embedding.weight, other.embedding.weight)


def test_a_mixer_that_changes_the_shape_is_refused_with_both_shapes():
    block = Block(Keep(lambda x: x[:, :-1]), WIDTH, 0, "shrinking")
    with pytest.raises(UserError, match=r"'shrinking' returned \(2, 4, 8\).*shape \(2, 5, 8\)"):
        block(torch.zeros(2, 5, WIDTH))


def test_a_mixer_that_returns_no_tensor_is_refused():
    block = Block(Keep(lambda x: (x, None)), WIDTH, 0, "pair")
    with pytest.raises(UserError, match="'pair' returned tuple"):
        block(torch.zeros(2, 5, WIDTH))


def test_a_mixer_without_a_state_size_is_refused():
    with pytest.raises(UserError, match=r"'Linear' has no state_size\(length\)"):
        Block(nn.Linear(WIDTH, WIDTH), WIDTH, 0)


def test_a_sequence_longer_than_the_learned_positions_is_refused():
    with pytest.raises(UserError, match="sequence of 8 tokens is longer than the 7"):
        model()(tokens(length=8))
