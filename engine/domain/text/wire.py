"""Typed views of JSON in a log: what is built here is checked strictly, what is read is read as far as it goes."""

from collections.abc import Mapping
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    JsonValue,
    Strict,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticUseDefault

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Reason, Said, stored

Json = Mapping[str, JsonValue]
_READING = {"reading": True}
_Row = TypeVar("_Row", bound=BaseModel)


class WireModel(FrozenModel):
    """A part of what is written. `WireModel(...)` raises ValidationError for a value of a wrong type; `read` leaves such a value at its
    default. Every field but those that nothing can be made without has a default."""

    model_config = ConfigDict(extra="allow")

    @classmethod
    def read(cls, written: Json) -> Self:
        """Return what can be read of JSON. Never raises where every field has a default."""
        return cls.model_validate(dict(written), context=_READING)

    def to_json(self) -> dict[str, JsonValue]:
        """Return the JSON of the fields that were given, those that the class does not know included."""
        return self.model_dump(mode="json", by_alias=True, include=self.model_fields_set)

    def plus(self, **more: Any) -> Self:
        """Return a copy with further fields."""
        return type(self)(**{**self.to_json(), **more})

    @model_validator(mode="before")
    @classmethod
    def _with_keys(cls, given: Any) -> Any:
        """Keep the keys of reasons in what is read as plain JSON: objects, lists, and fields that the class does not know."""
        if not isinstance(given, dict):
            return given
        return {name: value if isinstance(value, Reason) and name in cls.model_fields else stored(value) for name, value in given.items()}

    @field_validator("*", mode="wrap")
    @classmethod
    def _as_far_as_it_goes(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        try:
            return handler(value)
        except (ValidationError, OverflowError):
            if info.context is not _READING:
                raise
            raise PydanticUseDefault from None


def _texts(value: Any) -> Any:
    return tuple(item for item in map(Reason.read, value) if isinstance(item, str)) if isinstance(value, list | tuple) else value


def _numbers(value: Any) -> Any:
    return {key: item for key, item in value.items() if _is_number(item)} if isinstance(value, dict) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


_LARGEST = 1.7976931348623157e308

Number = Annotated[float, Strict()]
"""A finite number; booleans and words are none."""
Flag = Annotated[bool, Strict()]
Texts = Annotated[tuple[Said, ...], BeforeValidator(_texts)]
"""The words of a list; whatever else is in it is left out when it is read."""
Numbers = Annotated[dict[str, Number], BeforeValidator(_numbers)]
"""The numbers of an object; whatever else is in it is left out when it is read."""
