"""Pydantic fields for the frozen dataclasses that components own their settings in."""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, Strict, create_model
from pydantic_core import CoreSchema, core_schema

STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
"""Unknown keys are errors and nothing is coerced: ``"64"`` or ``true`` is not a width."""


@functools.cache
def section_of(owner: type, readers: tuple[tuple[str, Any], ...] = ()) -> type[BaseModel]:
    """A pydantic model with the fields, types and defaults of the dataclass ``owner``.

    readers: (field, annotation) pairs that stand in for the declared type where the YAML form
    of a field is not its type.
    """
    hints = get_type_hints(owner) | dict(readers)
    fields: dict[str, Any] = {}
    for field in dataclasses.fields(owner):
        if field.default is not dataclasses.MISSING:
            default: Any = field.default
        elif field.default_factory is not dataclasses.MISSING:
            default = Field(default_factory=field.default_factory)
        else:
            default = ...
        fields[field.name] = (_lenient_sequences(hints[field.name]), default)
    return create_model(owner.__name__, __config__=STRICT, **fields)


def _lenient_sequences(hint: Any) -> Any:
    """YAML knows lists alone, so a list is accepted where a tuple is declared."""
    if get_origin(hint) is tuple:
        return Annotated[hint, Strict(False)]
    if get_origin(hint) in (Union, types.UnionType):
        return Union[tuple(_lenient_sequences(part) for part in get_args(hint))]  # noqa: UP007
    return hint


@dataclasses.dataclass(frozen=True)
class Owned:
    """Validate a mapping into the annotated dataclass: ``training: Annotated[Training, Owned()]``.

    plain: turns an instance into what YAML can hold. readers: see ``section_of``.
    """

    plain: Callable[[Any], dict[str, Any]] = dataclasses.asdict
    readers: tuple[tuple[str, Any], ...] = ()

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        section = section_of(source, self.readers)

        def build(value: Any, validate: Callable[[Any], BaseModel]) -> Any:
            # An instance takes the way of its YAML form: what comes out is what a file would give.
            valid = validate(self.plain(value) if isinstance(value, source) else value)
            return source(**{name: getattr(valid, name) for name in section.model_fields})

        return core_schema.no_info_wrap_validator_function(
            build,
            handler.generate_schema(section),
            serialization=core_schema.plain_serializer_function_ser_schema(self.plain),
        )
