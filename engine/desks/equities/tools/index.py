"""What surrounds a listing: macro figures, the sectors of an index and its companies."""

from collections import defaultdict
from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from engine.desks.equities.tools.tool import Known, plain_name, tool
from engine.prompts.render import quoted


@tool("Macro figures that were published by then.")
async def get_macro(
    known: Known,
    region: Annotated[Literal["US", "CN", "HK"] | SkipJsonSchema[None], Field(description="of which market; of all if left out")] = None,
) -> str:
    """Return the newest points of every macro series of a region."""
    snapshot = known.snapshot
    series = [each for each in snapshot.macro if region in (None, each.region) and each.points]
    if not series:
        return f"no macro figure is known: {snapshot.missing.get('macro', 'none of that region')}"
    rows = []
    for each in series:
        points = ", ".join(f"{point.period} {point.value:g}" for point in each.points[-4:])
        rows.append(f"{each.key} ({each.region}): {points}")
    about = "\n".join(f"{each.key}: {each.name}, {each.unit}" for each in series)
    return "\n".join([*rows, quoted("names", about)])


@tool("The returns of the sectors of an index.")
async def get_sector(
    known: Known, sessions: Annotated[int, Field(ge=1, le=250, description="over how many sessions; 20 if left out")] = 20
) -> str:
    """Return how the sectors of an index did."""
    snapshot = known.snapshot
    if not snapshot.constituents:
        return f"no sector is known: {snapshot.missing.get('constituents', 'no company of it is known')}"
    returns: defaultdict[str, list[float]] = defaultdict(list)
    for each in snapshot.constituents:
        change = each.return_pct(sessions)
        if change is not None:
            returns[each.sector or "not known"].append(change)
    ordered = sorted(((sum(own) / len(own), name, len(own)) for name, own in returns.items()), reverse=True)
    return "\n".join(
        [f"average return over {sessions} sessions, percent"]
        + [f"{plain_name(name)}: {change:.2f} ({count} companies)" for change, name, count in ordered]
    )


@tool("Best and worst companies of an index.")
async def get_constituent_returns(
    known: Known, sessions: Annotated[int, Field(ge=1, le=250, description="over how many sessions; 5 if left out")] = 5
) -> str:
    """Return the best and worst companies of an index, and how many rose."""
    snapshot = known.snapshot
    found = [(change, each) for each in snapshot.constituents if (change := each.return_pct(sessions)) is not None]
    if not found:
        return f"no closes of constituents are known: {snapshot.missing.get('constituents', 'too few sessions')}"
    found.sort(key=lambda pair: (-pair[0], pair[1].symbol))
    shown = list(dict.fromkeys([*found[:5], *found[-5:]]))
    rows = [f"{each.symbol}: {change:.2f}" for change, each in shown]
    names = "\n".join(f"{each.symbol}: {each.name}" for _, each in shown)
    rose = sum(change > 0 for change, _ in found)
    return "\n".join(
        [
            f"return over {sessions} sessions, percent",
            f"constituents = {len(found)}",
            f"advancing = {rose}",
            *rows,
            quoted("names", names),
        ]
    )
