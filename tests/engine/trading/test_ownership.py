"""How much of a venue's position is ours, over histories made up at random: our entries, exits and stops, a stranger's trades on either
side, and evidence that is missing in parts. What is called ours is there and was made by us; what is left of ours is never forgotten."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.holding import Side
from engine.domain.orders import Position
from engine.trading.history.ownership import Evidence, Fate, Fill, OwnClaim, Ownership, SignedLevels, ownership

SYMBOL = "BTC/USDT:USDT"
D, NONE = Decimal, Decimal(0)
AT = datetime(2026, 3, 1, tzinfo=UTC)
What = Literal["enter", "close", "stop", "stranger buys", "stranger sells", "lose stop"]
STEPS = st.lists(
    st.tuples(st.sampled_from(["enter", "close", "stop", "stranger buys", "stranger sells", "lose stop"]), st.integers(1, 9)), max_size=12
)
SIDES = st.sampled_from(["long", "short"])
THEIRS = st.sampled_from([0, 0, 5])  # of a stranger's, before our first order


@dataclass
class World:
    """A market of the venue, and whose coins are in it, counted as it happens. sign: of our side."""

    sign: int
    total: Decimal = NONE
    ours: Decimal = NONE
    reported: Decimal = NONE
    fills: list[Fill] = field(default_factory=list)
    venue_ids: set[str] = field(default_factory=set)
    stop: Literal["working", "lost", "filled"] = "working"
    stopped: Decimal = NONE
    over: bool = False
    mingled: bool = False
    opens: bool = True

    def fill(self, amount: Decimal, *, ours: bool) -> str:
        """A fill, positive on our side. Returns the order's id."""
        order_id = str(len(self.fills) + 1)
        self.fills.append(Fill(order_id, amount * self.sign))
        self.total += amount
        if ours:
            self.ours += amount
        self.ours = max(D(0), min(self.ours, self.total))
        self.over = self.over or self.ours == 0
        return order_id

    def step(self, what: What, size: int) -> None:
        """One thing that happens. Nothing of ours happens to a position that is over: another one would have a claim of its own."""
        amount = D(size) / 100
        if what == "stranger buys":
            self.mingled = True
            self.fill(amount, ours=False)
        elif what == "stranger sells":
            self.mingled = True
            self.fill(-amount, ours=False)
        elif self.over:
            return
        elif what == "enter":
            self.venue_ids.add(self.fill(amount, ours=True))
            self.reported += amount
        elif what == "close":
            closed = min(amount, self.ours)
            self.venue_ids.add(self.fill(-closed, ours=True))
            self.reported -= closed
        elif what == "stop" and self.stop == "working":
            self.stop, self.stopped = "filled", self.ours
            self.stop_id = self.fill(-self.ours, ours=True)
        elif what == "lose stop" and self.stop == "working":
            self.stop = "lost"

    def claim(self) -> OwnClaim | None:
        """What our reports leave."""
        if self.reported <= 0:
            return None
        side: Side = "long" if self.sign > 0 else "short"
        levels = SignedLevels("tb-entry-0001", D(59_000), None)
        return OwnClaim(side, self.reported, levels, ("tb-entry-0001",), 1, AT, "1", self.opens, frozenset(self.venue_ids))

    def held(self) -> Position | None:
        """What the venue reports."""
        if self.total == 0:
            return None
        side: Side = "long" if (self.total > 0) == (self.sign > 0) else "short"
        return Position(symbol=SYMBOL, side=side, size=abs(self.total), entry_price=D(60_000))

    def fates(self) -> tuple[Fate, ...]:
        """What the venue says of our stop."""
        if self.stop == "filled":
            return (Fate("tb-entry-0001-s", filled=self.stopped, order_id=self.stop_id),)
        return (Fate("tb-entry-0001-s", is_working=self.stop == "working"),)


def played(side: Side, steps: list[tuple[What, int]], theirs: int = 0) -> World:
    world = World(1 if side == "long" else -1, D(theirs) / 100, mingled=theirs > 0, opens=theirs == 0)
    world.step("enter", 7)
    for what, size in steps:
        world.step(what, size)
    return world


@given(side=SIDES, steps=STEPS, theirs=THEIRS)
def test_with_all_evidence_exactly_ours_is_ours(side: Side, steps: list[tuple[What, int]], theirs: int) -> None:
    world = played(side, steps, theirs)
    claim, held = world.claim(), world.held()
    found = ownership(claim, held, Evidence(world.fates(), world.fills))
    assert (found.ours, found.unknown) == (world.ours, "")
    assert found.theirs == (held.size if held is not None else 0) - world.ours
    assert bool(found.gone) == (claim is not None and world.ours == 0)


@given(side=SIDES, steps=STEPS, theirs=THEIRS, doubt=st.booleans(), has_fills=st.booleans())
def test_without_some_of_it_no_more_than_ours_is_touched_or_it_is_said(
    side: Side, steps: list[tuple[What, int]], theirs: int, doubt: bool, has_fills: bool
) -> None:
    """Where the venue leaves something out: a size that is called ours and is not has the stop of ours, or the size of ours, as its reason;
    and ours is only left out where it is said that it cannot be told."""
    world = played(side, steps, theirs)
    claim, held = world.claim(), world.held()
    evidence = Evidence(() if doubt else world.fates(), world.fills if has_fills else None, "the venue is silent" if doubt else "")
    found = ownership(claim, held, evidence)
    size = held.size if held is not None else D(0)
    assert found.ours + found.theirs == size
    assert found.ours <= (claim.size if claim is not None else 0)
    if has_fills:
        assert found.ours <= world.ours
    if doubt and not has_fills:
        assert found.ours == 0
    if found.ours < world.ours:
        assert found.unknown
    if found.gone:
        assert world.ours == 0
    if not doubt and not world.mingled:
        assert found.ours == world.ours


@given(side=SIDES, steps=STEPS, later=STEPS)
def test_fills_that_are_younger_than_the_position_make_nothing_ours(
    side: Side, steps: list[tuple[What, int]], later: list[tuple[What, int]]
) -> None:
    """The position is read before the fills: what was traded between the two is among them."""
    world = played(side, steps)
    claim, held, fates, ours = world.claim(), world.held(), world.fates(), world.ours
    met_again = False
    for what, size in later:
        world.step(what, size)
        met_again = met_again or world.held() == held
    found = ownership(claim, held, Evidence(fates, world.fills))
    assert found.ours <= ours
    if not met_again:  # else the fills fit more than one beginning
        assert (found.ours, found.unknown) == (ours, "")


@pytest.mark.parametrize(
    ("held", "fates", "expected"),
    [
        ("0.07", (Fate("s", is_working=True),), Ownership(D("0.07"))),
        ("0.05", (Fate("s"),), Ownership(D("0.05"))),
        ("0.57", (Fate("s", is_working=True),), Ownership(D("0.07"), D("0.5"))),
        ("0.07", (Fate("s", filled=None),), "gone"),
        ("0.07", (Fate("s", filled=D("0.07")),), "gone"),
        ("0.04", (Fate("s", filled=D("0.03")),), Ownership(D("0.04"))),
        ("0.57", (Fate("s"),), "unknown"),
        ("-0.07", (Fate("s", is_working=True),), "gone"),
        ("0", (Fate("s", is_working=True),), "gone"),
    ],
)
def test_where_the_fills_cannot_be_had(held: str, fates: tuple[Fate, ...], expected: Ownership | str) -> None:
    size = D(held)
    side: Side = "long" if size > 0 else "short"
    position = Position(symbol=SYMBOL, side=side, size=abs(size), entry_price=D(60_000)) if size else None
    found = ownership(played("long", []).claim(), position, Evidence(fates))
    if isinstance(expected, str):
        assert (found.ours, bool(getattr(found, expected))) == (NONE, True)
    else:
        assert found == expected
