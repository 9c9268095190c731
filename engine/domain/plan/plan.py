"""A question, decomposed: factors that do not depend on each other, each an ordered list of tasks.

Every bound is here, in the schema that models are given and plans from files are held to. What a schema cannot say (which tools there
are, what a name refers to) is checked in `desks/plan/validation.py`.
"""

from typing import Annotated, Final

from pydantic import AfterValidator, Field, JsonValue
from pydantic_core import PydanticCustomError

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.visible import one_line, visible

MOST_FACTORS: Final = 8
MOST_TASKS: Final = 12
MOST_RETRIES: Final = 5
MOST_TEXT: Final = 2000
_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"


def _shown(name: str) -> str:
    if one_line(name) != name:
        raise PydanticCustomError("hidden", "{text} has characters that cannot be seen", {"text": ascii(name[:80])})
    return name


Name = Annotated[str, AfterValidator(_shown)]
"""A name that is what it looks like: without characters that hide, reorder or begin a line."""
Key = Annotated[str, Field(pattern=_NAME, max_length=60)]
"""A name that `{name}` can refer to."""
Values = Annotated[dict[Key, JsonValue], Field(max_length=40)]


class TaskItem(FrozenModel):
    """One call of a tool.

    id: unique in its factor. args: of the tool; `{name}` in a text is a placeholder, a global assumption or an earlier `output_key` of the
    same factor, `{name.field}` a field of it. output_key: under which the result is in the factor's context. max_retries: how often it
    is tried again; None = as the run has it.
    """

    id: Name = Field(min_length=1, max_length=60)
    description: str = Field(default="", max_length=MOST_TEXT)
    tool: str = Field(min_length=1, max_length=60)
    args: dict[str, JsonValue] = Field(default_factory=dict, max_length=20)
    output_key: Key
    max_retries: int | None = Field(default=None, ge=0, le=MOST_RETRIES)


class FactorPlan(FrozenModel):
    """One side of the question. name: unique in the plan. placeholders: values that args refer to."""

    name: Name = Field(min_length=1, max_length=80)
    description: str = Field(default="", max_length=MOST_TEXT)
    placeholders: Values = Field(default_factory=dict)
    tasks: tuple[TaskItem, ...] = Field(min_length=1, max_length=MOST_TASKS)


class DecompositionPlan(FrozenModel):
    """A whole plan. global_assumptions: values that args of every factor can refer to."""

    question: Annotated[str, AfterValidator(visible)] = Field(min_length=1, max_length=MOST_TEXT)
    global_assumptions: Values = Field(default_factory=dict)
    factors: tuple[FactorPlan, ...] = Field(min_length=1, max_length=MOST_FACTORS)

    def factor(self, name: str) -> FactorPlan | None:
        """Return the factor of a name, or None."""
        return next((factor for factor in self.factors if factor.name == name), None)
