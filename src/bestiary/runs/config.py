"""An experiment and a run as data: pydantic models that read and write YAML.

An ``Experiment`` is what a person asks for: a task, a model, how it is trained, which of their
fields are swept, over which seeds and where. Expanding it (``bestiary.runs.sweep``) gives
``RunConfig``s: one task, model, training and seed each, whose ``run_id`` is a function of
everything that can change the result and of nothing else.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    PlainValidator,
    SerializerFunctionWrapHandler,
    Strict,
    ValidationError,
    field_validator,
    model_serializer,
)
from pydantic_core import CoreSchema, core_schema

from bestiary.errors import UserError
from bestiary.mixers.registry import MixerSpec, mixer_class
from bestiary.models.config import ModelConfig, as_spec
from bestiary.runs.compiled_model import PREFIX, CompiledModel, is_compiled, read_compiled
from bestiary.runs.owned import STRICT, Owned
from bestiary.runs.problems import user_error
from bestiary.tasks.protocol import Task
from bestiary.tasks.registry import build_task
from bestiary.training.config import TrainingConfig

WITHOUT_EFFECT = ("checkpoint_every", "allocator")
"""Fields of the training that cannot change a result, which ``run_id`` therefore ignores."""

FOR_SCORING = ("batch_size", "dtype", "device", "threads", "allocator")
"""Fields of the training by which a compiled model is evaluated."""


def read_mixer(value: Any) -> MixerSpec:
    """A mixer by name, or by a mapping of its name and options."""
    if not isinstance(value, (str, Mapping, MixerSpec)):
        raise ValueError(f"{value!r} is not a mixer (accepted: a name or {{name: …, option: …}})")
    spec = as_spec(value)
    return MixerSpec(spec.name, _listed_tuples(spec.options))


def _listed_tuples(value: Any) -> Any:
    """Plain data as YAML gives it back, where a tuple is a list."""
    if isinstance(value, Mapping):
        return {key: _listed_tuples(item) for key, item in value.items()}
    return [_listed_tuples(item) for item in value] if isinstance(value, (list, tuple)) else value


def plain_mixer(spec: MixerSpec) -> str | dict[str, Any]:
    """The YAML form of a mixer: its name alone where it has no options."""
    return {"name": spec.name, **spec.options} if spec.options else spec.name


def plain_model(config: ModelConfig | CompiledModel) -> dict[str, Any]:
    """The YAML form of a model's config, every field in it."""
    if isinstance(config, CompiledModel):
        return config.plain()
    plain = {f.name: getattr(config, f.name) for f in dataclasses.fields(config)}
    plain["mixers"] = [plain_mixer(spec) for spec in config.mixers]
    return plain


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, (str, Mapping)) else value


Mixers = Annotated[
    tuple[Annotated[MixerSpec, PlainValidator(read_mixer)], ...],
    Strict(False),
    BeforeValidator(_listed),
]
TRAINED = Owned(plain_model, (("mixers", Mixers),))
Model = Annotated[ModelConfig, TRAINED]
Training = Annotated[TrainingConfig, Owned()]


@dataclasses.dataclass(frozen=True)
class OrCompiled:
    """Validate a model's mapping into what it describes: one to train, or a compiled one."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        def read(value: Any, validate: Callable[[Any], ModelConfig]) -> ModelConfig | CompiledModel:
            if is_compiled(value):
                return read_compiled(value)
            model = validate(value)
            if model.name.startswith(PREFIX):
                raise UserError(
                    f"label is {model.name!r}; what begins with {PREFIX!r} is a compiled model, "
                    "so call a trained one something else"
                )
            return model

        return core_schema.no_info_wrap_validator_function(
            read,
            TRAINED.__get_pydantic_core_schema__(ModelConfig, handler),
            serialization=core_schema.plain_serializer_function_ser_schema(plain_model),
        )


AnyModel = Annotated[ModelConfig | CompiledModel, OrCompiled()]


def _named(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


def _executor(value: Any) -> Any:
    """``ray`` as a mapping; a mapping without a name is of the executor that is the default."""
    value = _named(value)
    return {"name": "local", **value} if isinstance(value, Mapping) else value


def _folder_name(name: str) -> str:
    """``name``, which also names the folder of the results."""
    if name in ("", ".", "..") or "/" in name or not name.isprintable() or len(name) > 100:
        shown = name if len(name) <= 100 else f"{name[:97]}..."
        raise ValueError(
            f"{shown!r} cannot name a folder (accepted: up to 100 characters without '/'; --out "
            "says where results go)"
        )
    return name


TaskSpec = Annotated[dict[str, Any], BeforeValidator(_named), AfterValidator(_listed_tuples)]


def _keys(path: Sequence[str]) -> list[str]:
    """The keys a config accepts under ``path``, for the sentence about an unknown one."""
    sections: dict[str, list[str]] = {
        "": [*Experiment.model_fields],
        "model": [f.name for f in dataclasses.fields(ModelConfig)],
        "training": [f.name for f in dataclasses.fields(TrainingConfig)],
        "sweep": [*Sweep.model_fields],
        "executor": sorted({*LocalExecutor.model_fields, *RayExecutor.model_fields}),
    }
    return sections.get(".".join(path), [])


class Sweep(BaseModel):
    """What is varied beside the seeds.

    grid: dotted field of the experiment → the values it takes; all combinations are run.
    cases: settings that go together, each a mapping of dotted fields to values; all are run.
    models: models to compare, each a mixer's name or a mapping of the ``model`` fields in which
    it differs. Its key ``grid`` holds a grid for this model alone.
    """

    model_config = STRICT

    grid: dict[str, list[Any]] = Field(default_factory=dict)
    cases: list[dict[str, Any]] = Field(default_factory=list)
    models: list[str | dict[str, Any]] = Field(default_factory=list)


class LocalExecutor(BaseModel):
    """Processes on this machine. workers: how many at once (None: as many as cores)."""

    model_config = STRICT

    name: Literal["local"] = "local"
    workers: int | None = Field(default=None, ge=1)


class RayExecutor(BaseModel):
    """Tasks on a Ray cluster that shares the file system.

    address: what ``ray.init`` gets (None: start Ray here; ``auto`` or ``ray://host:port``).
    workers: how many runs at once (None: as many as the cluster has cores for).
    """

    model_config = STRICT

    name: Literal["ray"] = "ray"
    address: str | None = None
    workers: int | None = Field(default=None, ge=1)


class SinkConfig(BaseModel):
    """A second place that metrics go to.

    project, mode: for Weights & Biases alone; ``offline`` writes files and calls nobody.
    """

    model_config = STRICT

    name: Literal["tensorboard", "wandb"]
    project: str = "bestiary"
    mode: Literal["offline", "online"] = "offline"


class RunConfig(BaseModel):
    """One training: everything that decides its result.

    A run of a compiled model is not trained. Of ``training`` it uses ``FOR_SCORING`` alone: the
    result can depend on the dtype, and does not on the seed.
    """

    model_config = ConfigDict(**STRICT, ignored_types=(cached_property,))

    task: TaskSpec
    model: AnyModel
    training: Training
    seed: int

    @model_serializer(mode="wrap")
    def _without_training(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A compiled model's run does not name a rate and epochs that it never had."""
        plain: dict[str, Any] = serialize(self)
        if isinstance(self.model, CompiledModel):
            plain["training"] = {name: plain["training"][name] for name in FOR_SCORING}
        return plain

    def build_task(self) -> Task:
        """The task; raises ``UserError`` for what it does not accept."""
        return make_task(self.task)

    @cached_property
    def run_id(self) -> str:
        """``<model name>-<12 hex digits of the hash of the resolved config>``."""
        return f"{_file_name(self.model.name)}-{_digest(self.resolved())}"

    @cached_property
    def point(self) -> str:
        """The same for the config without its seed and learning rate."""
        resolved = self.resolved()
        if isinstance(self.model, ModelConfig):
            del resolved["seed"], resolved["training"]["learning_rate"]
        return f"{_file_name(self.model.name)}-{_digest(resolved)}"

    def resolved(self) -> dict[str, Any]:
        """The config with every default filled in and without what cannot change the result."""
        task = json.loads(_resolved_task(json.dumps(self.task)))
        if isinstance(self.model, CompiledModel):
            # That of float32 is left out: runs keep the ids they had before there was a choice.
            scored = {} if self.training.dtype == "float32" else {"dtype": self.training.dtype}
            return {"task": task, "model": self.model.resolved(), **scored}
        model = plain_model(self.model)
        del model["label"]
        model["mixers"] = [_with_defaults(spec) for spec in self.model.layer_mixers]
        training = dataclasses.asdict(self.training)
        for name in WITHOUT_EFFECT:
            del training[name]
        return {
            "task": task,
            "model": model,
            "training": training,
            "seed": self.seed,
        }


class Experiment(BaseModel):
    """What ``bestiary recall`` is asked to do.

    tuning: a tuning file (``bestiary tune`` writes it) whose rate for a model replaces
    ``training.learning_rate``; where that field is itself swept, the file is not used.
    """

    model_config = STRICT

    name: Annotated[str, AfterValidator(_folder_name)] = "experiment"
    task: TaskSpec
    model: Model = Field(default_factory=ModelConfig)
    training: Training = Field(default_factory=TrainingConfig)
    seeds: list[int] = Field(default=[0, 1, 2], min_length=1)
    sweep: Sweep = Field(default_factory=Sweep)
    tuning: str | None = None
    executor: Annotated[
        LocalExecutor | RayExecutor, Field(discriminator="name"), BeforeValidator(_executor)
    ] = Field(default_factory=LocalExecutor)
    sinks: list[Annotated[SinkConfig, BeforeValidator(_named)]] = Field(default_factory=list)

    @field_validator("seeds")
    @classmethod
    def _seeds_differ(cls, seeds: list[int]) -> list[int]:
        for seed in seeds:
            if not 0 <= seed < 2**63:
                what = "negative" if seed < 0 else "too large"
                raise ValueError(f"seed {seed} is {what}; seeds are from 0 to 2^63 - 1")
        if len(set(seeds)) < len(seeds):
            raise ValueError(f"{seeds} names a seed twice; each is run once")
        return seeds

    @classmethod
    def read(cls, data: Mapping[str, Any], source: str) -> Self:
        """Validate plain data; raises ``UserError`` that names ``source`` and the dotted key."""
        try:
            return cls.model_validate(dict(data))
        except ValidationError as error:
            raise user_error(error, source, _keys) from error

    def plain(self) -> dict[str, Any]:
        """The YAML form; ``read`` of it gives an equal experiment."""
        return self.model_dump(mode="python")


def read_run(data: Mapping[str, Any], source: str) -> RunConfig:
    """Validate the plain form of a run; raises ``UserError``."""
    try:
        return RunConfig.model_validate(dict(data))
    except ValidationError as error:
        raise user_error(error, source, _keys) from error


def make_task(spec: Mapping[str, Any]) -> Task:
    """The task of ``spec``; its own complaints are made to name the ``task.`` key they are of."""
    try:
        return build_task(spec)
    except UserError as error:
        said = str(error)
        fields = [name for name in spec if name != "name"]
        prefix = "task." if said.split(" ", 1)[0] in fields else "task: "
        raise UserError(f"{prefix}{said}") from error
    except TypeError as error:
        raise UserError(f"task {spec.get('name')!r}: {error}") from error


@lru_cache(maxsize=256)
def _resolved_task(text: str) -> str:
    """The task of a spec in JSON with every default filled in; a sweep has few of many runs."""
    spec = json.loads(text)
    task = make_task(spec)
    if dataclasses.is_dataclass(task) and not isinstance(task, type):
        spec = {"name": spec["name"], **dataclasses.asdict(task)}
    return json.dumps(spec, default=str)


def _with_defaults(spec: MixerSpec) -> dict[str, Any]:
    """A mixer with the defaults of its constructor, so that spelling them out changes nothing."""
    return {"name": spec.name, **_defaults(spec.name), **spec.options}


@lru_cache(maxsize=256)
def _defaults(name: str) -> dict[str, Any]:
    parameters = inspect.signature(mixer_class(name)).parameters.values()
    return {
        p.name: p.default
        for p in parameters
        if isinstance(p.default, (int, float, str, bool, tuple, type(None)))
    }


def _digest(data: Any) -> str:
    # default=str: a value JSON does not know (an enum, a path) still counts, by its text.
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def _file_name(label: str) -> str:
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", label).strip("-.") or "model"
