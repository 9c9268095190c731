"""The desk's guided demo: a company a few days after its split, a price that somebody quotes in shares of before it, and a judge who asks
for more than the account allows. Decided for the demo's own account."""

from collections.abc import Mapping
from datetime import date
from typing import ClassVar, Final

from markupsafe import Markup

from engine.api import Engine
from engine.domain.broker_capabilities import DEMO_BROKER
from engine.domain.chaos import Chaos
from engine.domain.claims import Claim
from engine.domain.run import RunRequest
from engine.domain.text.language import Language
from pages.desks.equities.equity_view import EquityView
from pages.desks.equities.sight import sent_to
from pages.frame import json_fields, numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.guide import Beat, Cue, Guide, Scene, panels
from pages.trading.proposal_state import PreviewState, chip_of

_QUOTER: Final = "market"
"""The analyst that quotes the price as it was before the split."""
_NEAR: Final = 0.05
"""How near to a split's ratio a false price is to be called one of before it."""
_BAR: Final = ".st-key-verdict"


class EquityGuide(Guide):
    """The analysts, the price of before the split, the debate, what code allows, how it cuts the order, who saw what, the signature, what
    came of it."""

    key = "equities"
    asked: ClassVar = {
        "symbol": "NVDA",
        "feed": "simulated",
        "trade_date": date(2024, 6, 14),
        "model": "scripted",
        "lies": 0.2,
        "seed": 10,
        "chaos": Chaos(role=_QUOTER, kind="price"),
        "broker": DEMO_BROKER,
        "propose": True,
    }
    course = (
        Beat("analysts", "demo_eq_analysts", panels("eq_analysts_title"), 5.0),
        Beat("raw", "demo_eq_raw", panels("eq_analysts_title"), 5.0),
        Beat("debate", "demo_eq_debate", panels("eq_step_research")),
        Beat("bounds", "demo_eq_bounds", panels("eq_step_risk", "eq_account_title"), 4.0),
        Beat("cut", "demo_eq_cut", panels("eq_step_trader"), 5.0),
        Beat("sight", "demo_eq_sight", panels("eq_sight_title"), 5.0),
        Beat("sign", "demo_sign", (_BAR,)),
        Beat("result", "demo_result", (_BAR,), is_last=True),
    )

    def request(self, engine: Engine, language: Language) -> RunRequest:
        """Return what the demo asks for."""
        return engine.equities.request(**self.asked, language=language)

    def cues(self, scene: Scene) -> Mapping[str, Cue]:
        """Return every beat by its name."""
        view, show, say = scene.view, scene.show, scene.show.say
        quoted, bull, risky, traded = (view.last_by(node) for node in (_QUOTER, "bull_researcher", "risky", "trader"))
        raw, argued = raw_price(scene.engine, view), bull.started_at if bull is not None else None
        return {
            "analysts": (scene.begun, say("demo_eq_analysts_text", n=len(view.analysts))),
            "raw": (quoted.ended_at if quoted is not None and raw is not None else argued, _raw(raw, show)),
            "debate": (argued, say("demo_eq_debate_text")),
            "bounds": (risky.started_at if risky is not None else None, _bounds(view, show)),
            "cut": (traded.ended_at if traded is not None else scene.ended, _cut(view, show)),
            "sight": (scene.ended, _sight(view, show)),
            "sign": (scene.ended, f"{_counted(view, show)} {scene.to_sign}"),
            "result": (scene.answered, chip_of(scene.proposal, PreviewState(), say).words if scene.proposal is not None else ""),
        }


GUIDE: Final = EquityGuide()


def raw_price(engine: Engine, view: EquityView) -> tuple[Claim, float, date] | None:
    """Return the false price that is a true one in shares of before a split, the split's ratio and its date; None where nobody said one."""
    material = engine.equities.chart(view.run_id) if view.run_id is not None else None
    if material is None:
        return None
    for claim in view.claims:
        if claim.verdict != "false" or not isinstance(claim.claimed, float) or not isinstance(claim.actual, float) or not claim.actual:
            continue
        for split in material.splits:
            if split.date <= material.trade_date and abs(claim.claimed / claim.actual / split.ratio - 1) < _NEAR:
                return claim, split.ratio, split.date
    return None


def _raw(found: tuple[Claim, float, date] | None, show: Show) -> Markup | str:
    if found is None:
        return show.say("demo_eq_raw_none")
    claim, ratio, day = found
    said, actual = (numbers.said(value, "price") for value in (claim.claimed, claim.actual) if isinstance(value, float))
    return markup(
        "<s>{}</s> {} {}", said, actual, show.say("demo_eq_raw_text", who=show.name(claim.source), ratio=f"{ratio:g}", day=day.isoformat())
    )


def _bounds(view: EquityView, show: Show) -> str:
    facts = view.opening
    if facts is None or facts.largest_order.value is None:
        return ""
    money = f"{numbers.number(facts.largest_order.value, 2)} {facts.currency}"
    return show.say("demo_eq_bounds_text", money=money, n=numbers.number(facts.shares(facts.largest_order.value, facts.price)))


def cut_order(view: EquityView) -> tuple[int, int] | None:
    """Return how many shares the judge asked for and how many were ordered, None where code did not make them fewer."""
    asked, ordered = json_fields.count(view.turn("risk_judge").result, "quantity"), json_fields.count(view.order, "quantity")
    return (asked, ordered) if 0 < ordered < asked else None


def _cut(view: EquityView, show: Show) -> str:
    found = cut_order(view)
    if found is None:
        return show.say("demo_eq_not_cut")
    return show.say("demo_eq_cut_text", asked=numbers.number(found[0]), n=numbers.number(found[1]))


def _sight(view: EquityView, show: Show) -> str:
    """Return what each debate was not sent, by the record of the run."""
    research, risk = sent_to(view, "research") or {}, sent_to(view, "risk") or {}
    kept = [
        show.say(key)
        for key, is_kept in (("demo_eq_no_account", "account" not in research), ("demo_eq_no_reports", "reports" not in risk))
        if is_kept
    ]
    return " ".join(kept)


def _counted(view: EquityView, show: Show) -> str:
    false = sum(claim.verdict == "false" for claim in view.claims)
    return show.say("demo_eq_struck", n=false, of=len(view.claims))
