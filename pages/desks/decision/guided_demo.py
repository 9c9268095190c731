"""The desk's guided demo: a pinned simulated market in which false numbers change the decision, decided for an account of its own.

Once its order is filled, time goes on by itself: the account is taken from candle to candle, and the paper broker fills what is reached.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from markupsafe import Markup

from engine.api import Engine
from engine.domain.broker_capabilities import DEMO_BROKER
from engine.domain.events import Event, NodeStarted
from engine.domain.market.timeframe import Timeframe
from engine.domain.proposal import Proposal
from engine.domain.run import DecideRequest, RunRequest
from engine.domain.text.language import Language
from pages.claims.claim_card import truth
from pages.desks.decision.decision_view import DecisionView
from pages.desks.decision.verdict import action_word
from pages.frame import json_fields, numbers
from pages.frame.escape import markup, plain
from pages.frame.show import Show
from pages.run.guide import Beat, Guide, Scene, panels
from pages.trading.proposal_state import PreviewState, chip_of, quote_unit
from pages.words.fact_names import fact_name

_SYMBOL: Final = "BTC/USDT:USDT"
_AT: Final = datetime(2025, 7, 10, 20, tzinfo=UTC)
_SEED: Final = 298
_LIES: Final = 0.2
_TIMEFRAMES: Final = ("1h", "4h")
_LEAST_RATIO: Final = 1.5
"""What the demo's account demands of a plan after costs, stricter than usual."""
UNCHECKED_S: Final = 1.2
_CHECKED_S, _DIFFERENCE_S = 4.0, 4.5
CANDLES: Final = 40
CANDLE_S: Final = 0.15
"""How many candles go by after the fill at most, and how long each takes."""
_CHART: Final = ".tb-chart"
_BAR: Final = ".st-key-verdict"


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
    """Seven beats: four analysts, the debate, the pause before the check, what was struck, what it changed, the signature, what came of
    it."""

    key = "decision"

    def request(self, engine: Engine, language: Language) -> DecideRequest:
        """Return what the demo asks for."""
        timeframe, higher = _TIMEFRAMES
        least = max(_LEAST_RATIO, engine.settings.risk.min_risk_reward_after_costs)
        return engine.decisions.request(
            _SYMBOL,
            feed="simulated",
            at=_AT,
            timeframe=timeframe,
            timeframe_htf=higher,
            model="scripted",
            lies=_LIES,
            seed=_SEED,
            language=language,
            broker=DEMO_BROKER,
            risk={"min_risk_reward_after_costs": least},
            propose=True,
        )

    def is_own(self, request: RunRequest | None) -> bool:
        """Return whether it is decided for the demo's account."""
        return isinstance(request, DecideRequest) and request.broker == DEMO_BROKER

    def held(self, event: Event) -> float:
        """Keep back what the check finds: until then every number is seen as not checked yet."""
        return UNCHECKED_S if isinstance(event.data, NodeStarted) and (event.node or "").endswith("grounding") else 0.0

    def carried(self, scene: Scene) -> Course | None:
        """Ask what would have been decided without checking, once; and let time go on when the order is filled."""
        record, view = scene.record, scene.view
        if view.ending is None or record.result is None:
            return None
        result = record.result
        if result.get("executor_text") and result.get("false_claims") and not result.get("did_it_matter"):
            scene.engine.decisions.without_corrections(record.run_id)
        proposal = scene.engine.trading.proposal_of(record.run_id)
        return course_of(scene.engine, proposal, scene) if proposal is not None and proposal.state == "filled" else None

    def beats(self, scene: Scene) -> tuple[Beat, ...]:
        """Return them, due by the run's own events."""
        view, say, course = scene.view, scene.show.say, scene.carried
        record = scene.engine.run(scene.record.run_id) or scene.record
        proposal = scene.engine.trading.proposal_of(record.run_id) if view.ending is not None else None
        bull, grounding = view.role("bull"), view.role("grounding")
        judged = view.role("judge").ended_at
        checked = grounding.ended_at + timedelta(seconds=UNCHECKED_S) if grounding.ended_at is not None else None
        ended = view.ending.at if view.ending is not None else None
        answered = scene.clock.at(proposal.changed_at) if proposal is not None and not proposal.is_waiting else None
        over = None
        if answered is not None and course is not None and course.is_over:
            over = answered + timedelta(seconds=CANDLE_S * course.candles)
        elif answered is not None and course is None:
            over = answered
        begun = view.started_at or record.created_at
        said = view.false_said if view.checked is not None else None
        effect = "strike" if said is not None and said.total else ""
        return (
            Beat(
                "analysts",
                say("demo_analysts"),
                plain(say("demo_analysts_text", n=len(scene.engine.decisions.analysts))),
                begun,
                panels("analysts"),
            ),
            Beat("debate", say("demo_debate"), plain(_argued(view, scene.show)), bull.started_at, panels("debate")),
            Beat("unchecked", say("demo_unchecked"), plain(say("demo_unchecked_text")), judged, panels("debate"), UNCHECKED_S),
            Beat("checked", say("demo_checked"), _struck(view, scene.show), checked, (*panels("debate"), _CHART), _CHECKED_S, effect),
            Beat("difference", say("demo_difference"), _difference(record.result, scene.show), ended, (_BAR,), _DIFFERENCE_S),
            Beat("sign", say("demo_sign"), plain(_sign(proposal, scene.show)), ended, (_BAR, _CHART)),
            Beat("time", say("demo_time"), _goes_on(course, proposal, scene.show), answered, (_CHART, _BAR), moves=True),
            Beat("result", say("demo_result"), _came(course, proposal, scene.show), over, (_BAR, _CHART), is_last=True),
        )


GUIDE: Final = DecisionGuide()


def course_of(engine: Engine, proposal: Proposal, scene: Scene) -> Course | None:
    """Let the account's market come as far as the demo's clock says, and return what came of the order. None where the account has begun
    anew since."""
    bar = timedelta(milliseconds=Timeframe.parse(_TIMEFRAMES[0]).ms)
    spent = (scene.now - scene.clock.at(proposal.changed_at)).total_seconds()
    candles, began = min(CANDLES, max(0, int(spent / CANDLE_S))), proposal.basis.snapshot_at
    found = engine.trading.take_further(proposal, began + candles * bar)
    if found is None:
        return None
    if found.closed_at is not None:
        gone = min(candles, int((found.closed_at - began) / bar) + 1)
        return Course(gone, found.closed_at, found.cash, found.in_r(found.cash), found.ended, is_over=True)
    result = _result(engine, proposal)
    return Course(candles, began + candles * bar, result, found.in_r(result), None, is_over=candles == CANDLES)


def _result(engine: Engine, proposal: Proposal) -> Decimal | None:
    outcome = engine.trading.outcome(proposal.id)
    return outcome.result if outcome is not None else None


def _argued(view: DecisionView, show: Show) -> str:
    found = view.consensus
    if found is None or found.direction is None:
        return show.say("demo_debate_open")
    return show.say("demo_debate_text", side=show.say(found.direction), n=numbers.number(found.confidence))


def _struck(view: DecisionView, show: Show) -> Markup:
    """Return `9 of 34 numbers were false`, counted up by the script, and the first of them."""
    if view.checked is None:
        return Markup()
    first = next((claim for claim in view.checked.claims if claim.verdict == "false"), None)
    if first is None:
        return plain(show.say("demo_nothing_struck"))
    said = view.false_said
    counted = show.say("demo_struck", n="\0", of=said.checked)
    before, _, after = counted.partition("\0")
    name, stated = fact_name(first.key, show.language), first.text[first.value_start - first.start : first.value_end - first.start]
    number = markup('<b class="tb-num" data-count="{}">{}</b>', said.total, said.total)
    return markup("{}{}{} {} <s>{}</s> {}", before, number, after, name, stated, truth(first, show))


def _difference(result: json_fields.Fields | None, show: Show) -> Markup:
    """Return `Without checking: Enter short 57. With checking: Enter long 70`."""
    compared = json_fields.inner(result or {}, "did_it_matter")
    with_, without = json_fields.inner(compared, "corrected"), json_fields.inner(compared, "uncorrected")
    if not with_ or not without:
        return plain(show.say("demo_same"))
    words = {key: _decided(each, show) for key, each in (("without", without), ("with_", with_))}
    return plain(show.say("demo_difference_text", **words))


def _decided(decision: json_fields.Fields, show: Show) -> str:
    action, valid = json_fields.words(decision, "action"), json_fields.flag(decision, "is_valid")
    return f"{action_word(action, decision, show, valid=valid)} {numbers.number(json_fields.number(decision, 'confidence'))}"


def _sign(proposal: Proposal | None, show: Show) -> str:
    return show.say("demo_sign_text" if proposal is not None else "demo_nothing_to_sign")


def _money(course: Course, proposal: Proposal, show: Show) -> str:
    """Return `+212.40 USDT, 2.1 R`."""
    if course.result is None:
        return numbers.DASH
    money = f"{numbers.signed(float(course.result), 2)} {quote_unit(proposal)}"
    return money if course.in_r is None else f"{money}{show.say('list_comma')}{numbers.signed(course.in_r, 1)} R"


def _goes_on(course: Course | None, proposal: Proposal | None, show: Show) -> Markup:
    if course is None or proposal is None:
        return Markup()
    return plain(show.say("demo_time_text", n=course.candles, result=_money(course, proposal, show)))


def _came(course: Course | None, proposal: Proposal | None, show: Show) -> Markup:
    if proposal is None:
        return Markup()
    if course is None:
        return plain(chip_of(proposal, PreviewState(), show.say).words)
    how = show.say(f"demo_ended_{course.ended}" if course.ended in ("stop", "target") else "demo_ended_open", n=course.candles)
    return plain(f"{how} {_money(course, proposal, show)}")
