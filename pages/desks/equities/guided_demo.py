"""The desk's guided demo: a company a few days after its split, a price that somebody quotes in shares of before it, and a judge who asks
for more than the account allows. Decided for the demo's own account."""

from datetime import date
from typing import Final

from markupsafe import Markup

from engine.api import Engine
from engine.domain.broker_capabilities import DEMO_BROKER
from engine.domain.chaos import Chaos
from engine.domain.claims import Claim
from engine.domain.proposal import Proposal
from engine.domain.run import RunRequest
from engine.domain.text.language import Language
from pages.desks.equities.equity_view import EquityView
from pages.desks.equities.sight import sent_to
from pages.frame import json_fields, numbers
from pages.frame.escape import markup, plain
from pages.frame.show import Show
from pages.run.guide import Beat, Guide, Scene, panels
from pages.trading.proposal_state import PreviewState, chip_of

_SYMBOL: Final = "NVDA"
_DATE: Final = date(2024, 6, 14)
_SEED: Final = 10
_LIES: Final = 0.2
_QUOTER: Final = "market"
"""The analyst that quotes the price as it was before the split."""
_ANALYSTS_S, _RAW_S, _BOUNDS_S, _CUT_S, _SIGHT_S = 5.0, 5.0, 4.0, 5.0, 5.0
_NEAR: Final = 0.05
"""How near to a split's ratio a false price is to be called one of before it."""


class EquityGuide(Guide):
    """Eight beats: the analysts, the price of before the split, the debate, what code allows, how it cuts the order, who saw what, the
    signature, what came of it."""

    key = "equities"

    def request(self, engine: Engine, language: Language) -> RunRequest:
        """Return what the demo asks for."""
        return engine.equities.request(
            _SYMBOL,
            feed="simulated",
            trade_date=_DATE,
            model="scripted",
            lies=_LIES,
            seed=_SEED,
            chaos=Chaos(role=_QUOTER, kind="price"),
            language=language,
            broker=DEMO_BROKER,
            propose=True,
        )

    def is_own(self, request: RunRequest | None) -> bool:
        """Return whether it is decided for the demo's account."""
        return request is not None and request.flow == "fusion" and getattr(request, "broker", None) == DEMO_BROKER

    def beats(self, scene: Scene) -> tuple[Beat, ...]:
        """Return them, due by the run's own events."""
        view, show, say = scene.view, scene.show, scene.show.say
        quoted, bull, risky = view.last_by(_QUOTER), view.last_by("bull_researcher"), view.last_by("risky")
        raw, traded = raw_price(scene.engine, view), view.last_by("trader")
        proposal = scene.engine.trading.proposal_of(scene.record.run_id) if view.ending is not None else None
        ended = view.ending.at if view.ending is not None else None
        answered = scene.clock.at(proposal.changed_at) if proposal is not None and not proposal.is_waiting else None
        begun = view.started_at or scene.record.created_at
        return (
            Beat(
                "analysts",
                say("demo_eq_analysts"),
                plain(say("demo_eq_analysts_text", n=len(view.analysts))),
                begun,
                panels("eq_analysts_title"),
                _ANALYSTS_S,
            ),
            Beat(
                "raw",
                say("demo_eq_raw"),
                _raw(raw, show),
                quoted.ended_at if quoted is not None and raw is not None else bull.started_at if bull is not None else None,
                panels("eq_analysts_title"),
                _RAW_S,
            ),
            Beat(
                "debate",
                say("demo_eq_debate"),
                plain(say("demo_eq_debate_text")),
                bull.started_at if bull is not None else None,
                panels("eq_step_research"),
            ),
            Beat(
                "bounds",
                say("demo_eq_bounds"),
                plain(_bounds(view, show)),
                risky.started_at if risky is not None else None,
                (*panels("eq_step_risk"), *panels("eq_account_title")),
                _BOUNDS_S,
            ),
            Beat(
                "cut",
                say("demo_eq_cut"),
                plain(_cut(view, show)),
                traded.ended_at if traded is not None else ended,
                panels("eq_step_trader"),
                _CUT_S,
            ),
            Beat("sight", say("demo_eq_sight"), plain(_sight(view, show)), ended, panels("eq_sight_title"), _SIGHT_S),
            Beat("sign", say("demo_sign"), plain(_sign(view, proposal, show)), ended, (".st-key-verdict",)),
            Beat("result", say("demo_result"), plain(_came(proposal, show)), answered, (".st-key-verdict",), is_last=True),
        )


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


def _raw(found: tuple[Claim, float, date] | None, show: Show) -> Markup:
    if found is None:
        return plain(show.say("demo_eq_raw_none"))
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


def _sign(view: EquityView, proposal: Proposal | None, show: Show) -> str:
    false = sum(claim.verdict == "false" for claim in view.claims)
    words = show.say("demo_sign_text" if proposal is not None else "demo_nothing_to_sign")
    return f"{show.say('demo_eq_struck', n=false, of=len(view.claims))} {words}"


def _came(proposal: Proposal | None, show: Show) -> str:
    return chip_of(proposal, PreviewState(), show.say).words if proposal is not None else ""
