"""Typed views of JSON that other versions may have written: what is built here is checked strictly, what is read is read as far as it goes.

A value that was read keeps its JSON as it was, key order and unknown keys included, so that writing it again changes no byte.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    JsonValue,
    ModelWrapValidatorHandler,
    PrivateAttr,
    Strict,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticUseDefault

from engine.domain.frozen_model import FrozenModel

Json = Mapping[str, JsonValue]
_READING = {"reading": True}
_Row = TypeVar("_Row", bound=BaseModel)


class WireModel(FrozenModel):
    """A part of what is written. `WireModel(...)` raises ValidationError for a value of a wrong type; `read` leaves such a value at its
    default. Every field but those that nothing can be made without has a default."""

    model_config = ConfigDict(extra="allow")
    _wire: dict[str, JsonValue] = PrivateAttr(default_factory=dict)

    @classmethod
    def read(cls, written: Json) -> Self:
        """Return what can be read of JSON that some version wrote. Never raises where every field has a default."""
        return cls.model_validate(dict(written), context=_READING)

    def to_json(self) -> dict[str, JsonValue]:
        """Return the JSON: as it was read, or the fields that were given, in the order in which they were given."""
        return dict(self._wire)

    def plus(self, **more: Any) -> Self:
        """Return a copy with further fields, which stand behind those it has."""
        return type(self)(**{**self._wire, **more})

    @field_validator("*", mode="wrap")
    @classmethod
    def _as_far_as_it_goes(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        try:
            return handler(value)
        except (ValidationError, OverflowError):
            if info.context is not _READING:
                raise
            raise PydanticUseDefault from None

    @model_validator(mode="wrap")
    @classmethod
    def _keep_the_wire(cls, given: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        made = handler(given)
        if given is not made:
            if info.context is _READING:
                made._wire = dict(given)
            else:
                dumped = made.model_dump(mode="json", by_alias=True)
                made._wire = {key: dumped[key] for key in given}
        return made


def _known_keys(kind: type[BaseModel], value: Any) -> Any:
    return {key: item for key, item in value.items() if key in kind.model_fields} if isinstance(value, dict) else value


def known(kind: type[BaseModel]) -> BeforeValidator:
    """Let keys of later versions in a nested value through."""
    return BeforeValidator(lambda value: _known_keys(kind, value))


def readable(kind: type[_Row]) -> BeforeValidator:
    """Leave out the rows of a list that cannot be read as `kind`, and keys of theirs that it does not have."""

    def rows(value: Any) -> Any:
        return tuple(row for item in value if (row := _row(kind, item)) is not None) if isinstance(value, list | tuple) else value

    return BeforeValidator(rows)


def _row(kind: type[_Row], item: Any) -> _Row | None:
    try:
        return kind.model_validate(_known_keys(kind, item))
    except ValidationError:
        return None


def _texts(value: Any) -> Any:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list | tuple) else value


def _numbers(value: Any) -> Any:
    return {key: item for key, item in value.items() if _is_number(item)} if isinstance(value, dict) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


_LARGEST = 1.7976931348623157e308

Number = Annotated[float, Strict()]
"""A finite number; booleans and words are none."""
Flag = Annotated[bool, Strict()]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
"""The words of a list; whatever else stands in it is left out when it is read."""
Numbers = Annotated[dict[str, Number], BeforeValidator(_numbers)]
"""The numbers of an object; whatever else stands in it is left out when it is read."""
