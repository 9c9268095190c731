"""What a reader looks for among the runs, as the address of the page carries it: `?q=btc&state=waits&page=2`. Pure."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Final, Literal, get_args

from pydantic import ConfigDict, Field, ValidationError

from engine.domain.frozen_model import FrozenModel
from engine.domain.run_filter import ListedState, RunFilter

_MOST_TEXT: Final = 200
ChosenState = Literal["open", "waits", "done", "stopped", "failed"]
STATES: Final[tuple[ChosenState, ...]] = get_args(ChosenState)
"""Those that a reader can choose."""
_Day = Annotated[date, Field(ge=date(2000, 1, 1), le=date(2200, 1, 1))]


class RunQuery(FrozenModel):
    """What is looked for; "" and None = of any kind. first_day, last_day: UTC, both included; no field of the page has them, but an address
    may. page: from 1. The aliases are the parts of the address."""

    model_config = ConfigDict(validate_by_name=True)

    text: str = Field(default="", alias="q")
    market: str = ""
    flow: str = ""
    state: ChosenState | None = None
    first_day: _Day | None = Field(default=None, alias="from")
    last_day: _Day | None = Field(default=None, alias="to")
    page: int = Field(default=1, ge=1, le=1_000_000)

    def wanted(self, state: ListedState | None, headlines: Mapping[str, str]) -> RunFilter:
        """Return what the journal is asked for. state: in place of the reader's. headlines: word -> the outcome that it is a word for."""
        return RunFilter(
            text=" ".join(headlines.get(word.casefold(), word) for word in self.text.split())[:_MOST_TEXT],
            market=self.market or None,
            flows=(self.flow,) if self.flow else (),
            state=state,
            since=_midnight(self.first_day) if self.first_day is not None else None,
            until=_midnight(self.last_day + timedelta(days=1)) if self.last_day is not None else None,
        )

    def params(self) -> dict[str, str]:
        """Return the parts of the address that say it; what is of any kind is left out."""
        return {name: str(value) for name, value in self.model_dump(mode="json", by_alias=True, exclude_defaults=True).items()}


NAMES: Final = (*(field.alias or name for name, field in RunQuery.model_fields.items()), "decision")
"""The parts of the address."""


def read_query(params: Mapping[str, str]) -> tuple[RunQuery, list[str]]:
    """Return what an address asks for, and its parts that cannot be used, as `state=moon`; those are left out. `decision`, of older
    addresses, is a word of the text."""
    asked = {name: params[name][:_MOST_TEXT] for name in NAMES if params.get(name)}
    if decision := asked.pop("decision", ""):
        asked["q"] = f"{asked.get('q', '')} {decision}".strip()[:_MOST_TEXT]
    unusable: list[str] = []
    try:
        return RunQuery.model_validate(asked), unusable
    except ValidationError as problem:
        unusable = list(dict.fromkeys(str(error["loc"][0]) for error in problem.errors()))
    query = RunQuery.model_validate({name: value for name, value in asked.items() if name not in unusable})
    return query, [f"{name}={asked[name][:40]}" for name in unusable]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
