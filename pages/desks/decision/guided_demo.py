"""The desk's guided demo: a pinned simulated market in which false numbers change the decision, decided for an account of its own.

Once its order is filled, time goes on by itself: the account is taken from candle to candle, and the paper broker fills what is reached.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import ClassVar, Final

from markupsafe import Markup

from engine.api import Engine
from engine.domain.broker_capabilities import DEMO_BROKER
from engine.domain.events import Event, NodeStarted
from engine.domain.market.timeframe import Timeframe
from engine.domain.proposal import Proposal
from engine.domain.run import DecideRequest
from engine.domain.text.language import Language
from pages.claims.claim_card import truth
from pages.desks.decision.decision_view import DecisionView
from pages.desks.decision.verdict import action_word
from pages.frame import json_fields, numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.guide import Beat, Cue, Guide, Scene, panels
from pages.trading.proposal_state import PreviewState, chip_of, quote_unit
from pages.words.fact_names import fact_name

_LEAST_RATIO: Final = 1.5
"""What the demo's account demands of a plan after costs, stricter than usual."""
_TIMEFRAME: Final = "1h"
_UNCHECKED_S: Final = 1.2
CANDLES: Final = 40
CANDLE_S: Final = 0.15
"""How many candles go by after the fill at most, and how long each takes."""
_CHART, _BAR = ".tb-chart", ".st-key-verdict"


@dataclass(frozen=True)
class Course:
    """What came of the demo's order so far. candles: how many have gone by since the decision. at: the account's instant. result, in_r: of
    the position. ended: by what it was closed, None while it is open. is_over: no more candle goes by."""

    candles: int
    at: datetime
    result: Decimal | None
    in_r: float | None
    ended: str | None
    is_over: bool


class DecisionGuide(Guide):
    """Four analysts, the debate, the pause before the check, what was struck, what it changed, the signature, what came of it."""

    key = "decision"
    asked: ClassVar = {
        "symbol": "BTC/USDT:USDT",
        "feed": "simulated",
        "at": datetime(2025, 7, 10, 20, tzinfo=UTC),
        "timeframe": _TIMEFRAME,
        "timeframe_htf": "4h",
        "model": "scripted",
        "lies": 0.2,
        "seed": 298,
        "broker": DEMO_BROKER,
        "propose": True,
    }
    course = (
        Beat("analysts", "demo_analysts", panels("analysts")),
        Beat("debate", "demo_debate", panels("debate")),
        Beat("unchecked", "demo_unchecked", panels("debate"), _UNCHECKED_S),
        Beat("checked", "demo_checked", (*panels("debate"), _CHART), 4.0, "strike"),
        Beat("difference", "demo_difference", (_BAR,), 4.5),
        Beat("sign", "demo_sign", (_BAR, _CHART)),
        Beat("time", "demo_time", (_CHART, _BAR), moves=True),
        Beat("result", "demo_result", (_BAR, _CHART), is_last=True),
    )

    def request(self, engine: Engine, language: Language) -> DecideRequest:
        """Return what the demo asks for."""
        least = max(_LEAST_RATIO, engine.settings.risk.min_risk_reward_after_costs)
        return engine.decisions.request(**self.asked, language=language, risk={"min_risk_reward_after_costs": least})

    def held(self, event: Event) -> float:
        """Keep back what the check finds: until then every number is seen as not checked yet."""
        return _UNCHECKED_S if isinstance(event.data, NodeStarted) and (event.node or "").endswith("grounding") else 0.0

    def carried(self, scene: Scene) -> Course | None:
        """Ask what would have been decided without checking, once; and let time go on when the order is filled."""
        result, proposal = scene.record.result, scene.proposal
        if scene.ended is None or result is None:
            return None
        if result.get("executor_text") and result.get("false_claims") and not result.get("did_it_matter"):
            scene.engine.decisions.without_corrections(scene.record.run_id)
        return course_of(scene.engine, proposal, scene) if proposal is not None and proposal.state == "filled" else None

    def cues(self, scene: Scene) -> Mapping[str, Cue]:
        """Return every beat by its name."""
        view, show, course, proposal, answered = scene.view, scene.show, scene.carried, scene.proposal, scene.answered
        grounding, record = view.role("grounding"), scene.engine.run(scene.record.run_id) or scene.record
        checked = grounding.ended_at + timedelta(seconds=_UNCHECKED_S) if grounding.ended_at is not None else None
        over = answered if course is None else None
        if answered is not None and course is not None and course.is_over:
            over = answered + timedelta(seconds=CANDLE_S * course.candles)
        return {
            "analysts": (scene.begun, show.say("demo_analysts_text", n=len(scene.engine.decisions.analysts))),
            "debate": (view.role("bull").started_at, _argued(view, show)),
            "unchecked": (view.role("judge").ended_at, show.say("demo_unchecked_text")),
            "checked": (checked, _struck(view, show)),
            "difference": (scene.ended, _difference(record.result, show)),
            "sign": (scene.ended, scene.to_sign),
            "time": (answered, _goes_on(course, proposal, show)),
            "result": (over, _came(course, proposal, show)),
        }


GUIDE: Final = DecisionGuide()


def course_of(engine: Engine, proposal: Proposal, scene: Scene) -> Course | None:
    """Let the account's market come as far as the demo's clock says, and return what came of the order. None where the account has begun
    anew since."""
    bar = timedelta(milliseconds=Timeframe.parse(_TIMEFRAME).ms)
    spent = (scene.now - scene.clock.at(proposal.changed_at)).total_seconds()
    candles, began = min(CANDLES, max(0, int(spent / CANDLE_S))), proposal.basis.snapshot_at
    found = engine.trading.take_further(proposal, began + candles * bar)
    if found is None:
        return None
    if found.closed_at is not None:
        gone = min(candles, int((found.closed_at - began) / bar) + 1)
        return Course(gone, found.closed_at, found.cash, found.in_r(found.cash), found.ended, is_over=True)
    outcome = engine.trading.outcome(proposal.id)
    result = outcome.result if outcome is not None else None
    return Course(candles, began + candles * bar, result, found.in_r(result), None, is_over=candles == CANDLES)


def _argued(view: DecisionView, show: Show) -> str:
    found = view.consensus
    if found is None or found.direction is None:
        return show.say("demo_debate_open")
    return show.say("demo_debate_text", side=show.say(found.direction), n=numbers.number(found.confidence))


def _struck(view: DecisionView, show: Show) -> Markup | str:
    """Return `9 of 34 numbers were false`, counted up by the script, and the first of them."""
    if view.checked is None:
        return ""
    first = next((claim for claim in view.checked.claims if claim.verdict == "false"), None)
    if first is None:
        return show.say("demo_nothing_struck")
    said = view.false_said
    counted = show.say("demo_struck", n="\0", of=said.checked)
    before, _, after = counted.partition("\0")
    name, stated = fact_name(first.key, show.language), first.text[first.value_start - first.start : first.value_end - first.start]
    number = markup('<b class="tb-num" data-count="{}">{}</b>', said.total, said.total)
    return markup("{}{}{} {} <s>{}</s> {}", before, number, after, name, stated, truth(first, show))


def _difference(result: json_fields.Fields | None, show: Show) -> str:
    """Return `Without checking: Enter short 57. With checking: Enter long 70`."""
    compared = json_fields.inner(result or {}, "did_it_matter")
    with_, without = json_fields.inner(compared, "corrected"), json_fields.inner(compared, "uncorrected")
    if not with_ or not without:
        return show.say("demo_same")
    return show.say("demo_difference_text", without=_decided(without, show), with_=_decided(with_, show))


def _decided(decision: json_fields.Fields, show: Show) -> str:
    action, valid = json_fields.words(decision, "action"), json_fields.flag(decision, "is_valid")
    return f"{action_word(action, decision, show, valid=valid)} {numbers.number(json_fields.number(decision, 'confidence'))}"


def _money(course: Course, proposal: Proposal, show: Show) -> str:
    """Return `+212.40 USDT, 2.1 R`."""
    if course.result is None:
        return numbers.DASH
    money = f"{numbers.signed(float(course.result), 2)} {quote_unit(proposal)}"
    return money if course.in_r is None else f"{money}{show.say('list_comma')}{numbers.signed(course.in_r, 1)} R"


def _goes_on(course: Course | None, proposal: Proposal | None, show: Show) -> str:
    if course is None or proposal is None:
        return ""
    return show.say("demo_time_text", n=course.candles, result=_money(course, proposal, show))


def _came(course: Course | None, proposal: Proposal | None, show: Show) -> str:
    if proposal is None:
        return ""
    if course is None:
        return chip_of(proposal, PreviewState(), show.say).words
    how = show.say(f"demo_ended_{course.ended}" if course.ended in ("stop", "target") else "demo_ended_open", n=course.candles)
    return f"{how} {_money(course, proposal, show)}"
