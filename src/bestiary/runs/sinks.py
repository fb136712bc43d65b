"""Second places for metrics: TensorBoard and Weights & Biases, each an extra."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from bestiary.errors import UserError
from bestiary.runs.config import RunConfig, SinkConfig
from bestiary.runs.job import Job
from bestiary.training.metrics import Tally


class Sink(Protocol):
    """Takes numbers by step while a run trains."""

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Take ``values`` by name; steps never go back."""
        ...

    def close(self) -> None:
        """Write what is still held."""
        ...


class TensorBoardSink:
    """Event files in ``<run folder>/tensorboard``."""

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise _missing("tensorboard") from error
        self._writer = SummaryWriter(str(folder / "tensorboard"))

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """See ``Sink``."""
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        """See ``Sink``."""
        self._writer.close()


class WandbSink:
    """A Weights & Biases run in ``<run folder>/wandb``; offline unless the config says online."""

    def __init__(self, folder: Path, run: RunConfig, config: SinkConfig) -> None:
        try:
            import wandb
        except ImportError as error:
            raise _missing("wandb") from error
        self._run = wandb.init(
            project=config.project,
            name=run.run_id,
            id=run.run_id.replace("+", "-"),
            dir=str(folder),
            mode=config.mode,
            config=run.model_dump(mode="python"),
            resume="allow" if config.mode == "online" else None,
            settings=wandb.Settings(silent=True, console="off"),
        )

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """See ``Sink``."""
        self._run.log(dict(values), step=step)

    def close(self) -> None:
        """See ``Sink``."""
        self._run.finish()


def require_sinks(configs: Sequence[SinkConfig]) -> None:
    """Raise ``UserError`` naming the extra when the package behind a sink is not installed."""
    for config in configs:
        try:
            if config.name == "tensorboard":
                import tensorboard  # noqa: F401
            else:
                import wandb  # noqa: F401
        except ImportError as error:
            raise _missing(config.name) from error


@contextmanager
def open_sinks(job: Job) -> Iterator[list[Sink]]:
    """The sinks of one run, closed at the end, however it comes."""
    made: dict[str, Callable[[SinkConfig], Sink]] = {
        "tensorboard": lambda config: TensorBoardSink(job.folder),
        "wandb": lambda config: WandbSink(job.folder, job.run, config),
    }
    with ExitStack() as opened:
        sinks = []
        for config in job.sinks:
            sinks.append(made[config.name](config))
            opened.callback(sinks[-1].close)
        yield sinks


def log_test(sinks: Sequence[Sink], step: int, test: Tally) -> None:
    """Tell the sinks what the test gave."""
    for sink in sinks:
        sink.log(step, {"test/accuracy": test.accuracy, "test/loss": test.mean_loss})


def _missing(name: str) -> UserError:
    return UserError(
        f"the sink {name!r} needs the package {name}, which is not installed "
        f"(accepted: pip install 'bestiary[{name}]', or leave it out of sinks)"
    )
