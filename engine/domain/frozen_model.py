"""The one base of everything that crosses a border: immutable, closed to unknown fields, strict JSON (no NaN, no infinity)."""

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """A frozen value object. Unknown fields are refused by name; numbers are finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
