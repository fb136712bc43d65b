"""Gradients: there, finite, right, and good enough to train on."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.autograd.gradcheck import GradcheckError, gradcheck
from torch.func import functional_call

from bestiary.mixers.conformance.report import Failed, NotApplicable, at
from bestiary.mixers.conformance.subject import Subject, run, run_seeded

TRAINING_LENGTHS = (16, 63, 65)
"""Short, and on both sides of a power of two, where implementations switch."""


def flow(subject: Subject) -> None:
    """A gradient reaches the input and every parameter, and is finite."""
    length = min(16, subject.max_length)
    for variant, module in subject.variants():
        with at(variant):
            x = subject.inputs(length).requires_grad_()
            y = run_seeded(module, x)
            if not y.requires_grad:
                raise Failed("the output is cut off from the graph: there is no gradient")
            (y * subject.inputs(length, seed=2)).sum().backward()
            for name, tensor in [("the input", x), *module.named_parameters()]:
                if not tensor.requires_grad:
                    continue
                if tensor.grad is None:
                    raise Failed(f"no gradient reaches {name}")
                if not tensor.grad.isfinite().all():
                    raise Failed(f"the gradient of {name} is not finite")
                # As made, a zero is no fault: behind an output map that starts at zero, say.
                if "noise" in variant and not tensor.grad.any():
                    raise Failed(f"the gradient of {name} is zero everywhere")


def numerical(subject: Subject) -> None:
    """Derivatives by input and parameters agree with finite differences in float64."""
    length = min(5, subject.max_length)
    for variant, module in subject.variants():
        if module.training:
            continue
        names = [name for name, p in module.named_parameters() if p.requires_grad]
        values = [
            p.detach().clone().requires_grad_() for p in module.parameters() if p.requires_grad
        ]

        def of(
            x: Tensor, *given: Tensor, module: nn.Module = module, names: list[str] = names
        ) -> Tensor:
            return functional_call(module, dict(zip(names, given, strict=True)), (x,))

        with at(variant):
            try:
                # Fast mode compares projections of the Jacobian: same law, any number of inputs.
                gradcheck(of, (subject.inputs(length).requires_grad_(), *values), fast_mode=True)
            except GradcheckError as error:
                raise Failed(_sentence(error, ["the input", *names])) from error


def training(subject: Subject) -> None:
    """A few AdamW steps at lengths 16, 63 and 65 stay finite and move the parameters."""
    module = subject.build(torch.float32)
    if not any(p.requires_grad for p in module.parameters()):
        raise NotApplicable("no parameters to train")
    for length in [n for n in TRAINING_LENGTHS if n <= subject.max_length] or [subject.max_length]:
        with at(f"length {length}"):
            module = subject.build(torch.float32).train()
            before = [p.detach().clone() for p in module.parameters()]
            optimizer = torch.optim.AdamW(module.parameters(), lr=1e-3)
            x = subject.inputs(length, dtype=torch.float32)
            target = subject.inputs(length, dtype=torch.float32, seed=1)
            for _ in range(3):
                optimizer.zero_grad()
                loss = (run(module, x) - target).square().mean()
                if not loss.isfinite():
                    raise Failed(f"the loss is {loss.item()}")
                loss.backward()
                optimizer.step()
            after = list(module.parameters())
            if not all(p.isfinite().all() for p in after):
                raise Failed("parameters are not finite after 3 steps")
            if all(torch.equal(a, b) for a, b in zip(before, after, strict=True)):
                raise Failed("no parameter moved in 3 steps")


def _sentence(error: GradcheckError, names: list[str]) -> str:
    """Which input the numerical and analytical derivatives differ for, by name where it is said."""
    text = " ".join(str(error).split())
    for index, name in enumerate(names):
        if f"with respect to input {index}," in text or f"w.r.t. input {index}," in text:
            return f"the derivative by {name} differs from finite differences"
    return text[:200]
