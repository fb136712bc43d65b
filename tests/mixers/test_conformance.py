import json

import broken_mixers
import pytest
import torch
from torch import nn

from bestiary.errors import UserError
from bestiary.mixers import MixerSpec, build_mixer
from bestiary.mixers.conformance import CHECKS, Report, check, refuse_if_unusable

LEAK = {"causality", "causal gradient", "prefix"}

# For each broken mixer, all checks that fail; where the fault must show in more than one law, why.
BROKEN: dict[str, set[str]] = {
    # A leak changes outputs when the sequence goes on, so `prefix` sees it too.
    "PaddedFrequencyFilter": LEAK,
    "UnpaddedFrequencyFilter": LEAK,
    "LooksAhead": LEAK,
    "LeaksOverASeam": LEAK,
    "LeaksWhenLong": LEAK,
    "NormalisesOverTime": LEAK,
    # Statistics over rows and positions, in training mode alone.
    "BatchNorm": {"causality", "causal gradient", "batch"},
    "MixesRows": {"batch"},
    "Widens": {"shape"},
    "GivesATuple": {"shape"},
    "KnowsTheLength": {"prefix"},
    "IgnoresAParameter": {"gradients"},
    "MultipliesAParameterByZero": {"gradients"},
    "DetachesItsGate": {"gradcheck"},
    # Without a graph there is nothing to check or to train.
    "Detached": {"gradients", "gradcheck", "training"},
    "LeaksInBackward": {"causal gradient", "gradcheck"},
    "NeedsTwoPositions": {"lengths"},
    "NoBfloat16": {"dtypes"},
    "SeedsItself": {"determinism"},
    "RefusesLength63InTraining": {"training"},
    "KeepsASecret": {"storage"},
    "SaysNoSize": {"state size"},
    "SaysHalfAnElement": {"state size"},
    "DeclaresTooLittle": {"carried"},
    # `split` also goes on by steps after a part.
    "StepsDifferently": {"stepwise", "split"},
    "ForgetsAtASplit": {"split"},
    "ChangesTheStateItGot": {"split"},
    # The recurrent form is run in every dtype too.
    "RaisesInSplit": {"dtypes", "split", "carried"},
}


def failed(report: Report) -> set[str]:
    return {result.name for result in report.failures}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_mixer_fails_exactly_the_checks_of_what_it_breaks(name: str) -> None:
    report = check(getattr(broken_mixers, name), d_model=6, max_length=67)
    assert failed(report) == BROKEN[name], [(r.name, r.reason) for r in report.failures]
    assert not report.ok


@pytest.mark.parametrize(
    ("name", "law"),
    [("DropsInEval", "determinism"), ("WritesItsInput", "input kept"), ("AlwaysFloat32", "dtypes")],
)
def test_a_fault_that_spoils_many_laws_fails_the_one_that_names_it(name: str, law: str) -> None:
    assert law in failed(check(getattr(broken_mixers, name), d_model=6, max_length=32))


def test_every_check_is_failed_by_some_broken_mixer() -> None:
    proven = set.union(*BROKEN.values()) | {"determinism", "input kept", "dtypes"}
    assert proven == {item.name for item in CHECKS}


@pytest.mark.parametrize("cls", [broken_mixers.Sound, broken_mixers.SoundWithDropout])
def test_a_sound_recurrent_mixer_passes_every_check(cls: type[nn.Module]) -> None:
    report = check(cls, d_model=6, max_length=67)
    assert report.ok and report.recurrent
    assert {r.status for r in report.results} == {"passed"}


def test_a_mixer_without_a_recurrent_form_is_asked_nothing_about_one() -> None:
    report = check(broken_mixers.Parallel, d_model=6, max_length=32)
    assert report.ok and not report.recurrent
    inapplicable = {r.name for r in report.results if r.status == "not applicable"}
    assert inapplicable == {"stepwise", "split", "carried"}


def test_after_a_wrong_shape_nothing_else_is_asked_and_the_report_says_so() -> None:
    report = check(broken_mixers.Widens, d_model=6, max_length=32)
    assert {r.status for r in report.results[1:]} == {"not run"}
    assert report.results[0].reason == "the output is (2, 16, 7) for an input of (2, 16, 6)"


def test_a_mixer_that_raises_fails_that_check_with_the_reason_and_where() -> None:
    report = check(broken_mixers.NeedsTwoPositions, d_model=6, max_length=32)
    (failure,) = report.failures
    assert failure.reason == "length 1: ValueError: cannot take one position"


def test_the_reason_of_a_leak_names_the_positions() -> None:
    report = check(broken_mixers.LooksAhead, d_model=6, max_length=8)
    reason = next(r.reason for r in report.failures if r.name == "causality")
    assert "the output at position 0 moves by" in reason
    assert "only inputs after position 0 change" in reason


def test_a_leak_that_is_zero_at_the_start_is_found_with_disturbed_parameters() -> None:
    report = check(
        "broken_mixers:PaddedFrequencyFilter", {"max_length": 16}, d_model=4, max_length=99
    )
    assert report.max_length == 16
    assert "with noise on its parameters" in report.failures[0].reason


def test_a_check_leaves_the_global_generator_and_the_threads_as_they_were() -> None:
    torch.manual_seed(5)
    expected = torch.randn(3)
    torch.manual_seed(5)
    threads = torch.get_num_threads()
    check(broken_mixers.SoundWithDropout, d_model=4, max_length=8)
    assert torch.equal(torch.randn(3), expected)
    assert torch.get_num_threads() == threads


def test_a_report_is_json_ready_and_results_are_told_as_they_come() -> None:
    heard: list[str] = []
    report = check(
        broken_mixers.Sound, d_model=4, max_length=8, watch=lambda r: heard.append(r.name)
    )
    data = json.loads(json.dumps(report.to_dict()))
    assert data["ok"] is True
    assert [r["name"] for r in data["results"]] == heard == [item.name for item in CHECKS]


@pytest.mark.parametrize(
    ("mixer", "options", "said"),
    [
        ("attenton", {}, "did you mean 'attention'"),
        ("attention", {"head": 2}, "did you mean 'heads'"),
        ("attention", {"heads": 3}, "heads is 3; it must be at least 1 and divide the width 16"),
        ("broken_mixers:Missing", {}, "has no class 'Missing'"),
        ("no_such_module_here:Mixer", {}, "cannot import module 'no_such_module_here'"),
        ("broken_mixers:CannotBeMade", {"depth": 2}, "cannot be made with d_model=16, depth=2"),
        ("broken_mixers:NotAModule", {}, "not a torch.nn.Module"),
        ("broken_mixers:PaddedFrequencyFilter", {"max_length": 0}, "max_length is 0"),
    ],
)
def test_a_wrong_question_is_a_user_error(mixer: str, options: dict[str, int], said: str) -> None:
    with pytest.raises(UserError) as error:
        check(mixer, options)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_device_is_a_user_error() -> None:
    with pytest.raises(UserError, match="device 'abacus' cannot be used"):
        check("attention", device="abacus")


@pytest.mark.parametrize(
    "name",
    [
        "PaddedFrequencyFilter",
        "UnpaddedFrequencyFilter",
        "LooksAhead",
        "LeaksWhenLong",
        "NormalisesOverTime",
        "BatchNorm",
        "Widens",
        "GivesATuple",
    ],
)
def test_a_mixer_that_leaks_or_misshapes_is_refused_before_training(name: str) -> None:
    path = f"broken_mixers:{name}"
    mixer = build_mixer(MixerSpec(path), 16, 64)
    before = {key: value.clone() for key, value in mixer.state_dict().items()}
    with pytest.raises(UserError, match=f"mixer '{path}' cannot be used: the output"):
        refuse_if_unusable(mixer, 16, 64, path)
    assert mixer.training
    assert all(torch.equal(before[key], value) for key, value in mixer.state_dict().items())


@pytest.mark.parametrize("length", [1, 2, 63, 512])
def test_a_usable_mixer_is_let_through_whatever_its_length_and_dtype(length: int) -> None:
    for dtype in (torch.float32, torch.bfloat16):
        module = broken_mixers.SoundWithDropout(32).to(dtype)
        refuse_if_unusable(module, 32, length)


def test_refusing_does_not_move_the_global_generator() -> None:
    mixer = broken_mixers.SoundWithDropout(8)
    torch.manual_seed(1)
    expected = torch.randn(2)
    torch.manual_seed(1)
    refuse_if_unusable(mixer, 8, 16)
    assert torch.equal(torch.randn(2), expected)
