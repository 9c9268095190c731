"""The verdict bar shows what the button beside it signs, and then what was filled."""

import itertools
from dataclasses import replace

import pytest

from engine.api import Change, Engine, Preview
from engine.approvals.approval_service import ApprovalService
from engine.domain.proposal import Proposal
from engine.domain.risk import LimitCheck, RiskConfig
from engine.instruments.conditions import LiveConditions
from engine.trading.figures import plan_figures
from pages.desks.decision.decision_view import DECISION
from pages.desks.decision.verdict import verdict_bar
from pages.frame import json_fields, numbers, shared_engine
from pages.frame.show import Show
from tests.pages.events import RUNS
from tests.pages.reader import Reader
from tests.pages.started import Start, filed, keyed


def moving(engine: Engine) -> Proposal:
    """A proposal that waits in a market that goes on."""
    for seed in range(300, 400):
        request = engine.decisions.request("BTC/USDT:USDT", seed=seed, propose=True, risk=RiskConfig(max_drift_atr=50))
        proposal = engine.trading.proposal_of(engine.wait(engine.start(request), 60).run_id)
        if proposal is not None and proposal.is_waiting:
            return proposal
    pytest.fail("no market with something to decide")


def numbers_of(html: str) -> str:
    return " ".join(" ".join(Reader(html).words).split())


def row_of(html: str, name: str) -> list[str]:
    """The cells of a row of the comparison: machine, yours, change."""
    row = html.partition(f"<td>{name}</td>")[2].partition("</tr>")[0]
    return ["".join(Reader(cell + "</td>").words) for cell in row.split("</td>")[:-1]]


def test_bar_form_and_card_say_the_same_at_the_same_second(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start()
    engine = shared_engine.get_engine()
    proposal = moving(engine)
    step = float(proposal.basis.terms.price_step)
    prices = itertools.count(proposal.basis.price + 20 * step, 7 * step)  # every look at the market finds another price
    ask = ApprovalService.preview

    async def drifting(service: ApprovalService, proposal_id: str, change: Change, world: LiveConditions | None = None) -> Preview:
        found = world or replace((await ask(service, proposal_id, change)).conditions, price=next(prices))
        return await ask(service, proposal_id, change, found)

    monkeypatch.setattr(ApprovalService, "preview", drifting)
    app.query_params["run"] = proposal.basis.run_id
    app.run().run()
    keyed(app, "open-edits").click().run()
    stop = next(each for each in app.number_input if "stop" in str(each.key))
    stop.set_value(float(stop.value) + (step * 30 if proposal.plan.side == "buy" else -step * 30)).run()
    assert not app.exception
    blocks = [str(element.proto.body) for element in app.get("html")]
    bar = next(html for html in blocks if "tb-verdict" in html)
    table = next(html for html in blocks if "tb-change" in html and "tb-tab" in html)
    loss, gain, ratio = (
        row_of(table, name)[1] for name in ("Loss at stop, costs in", "Gain at target, costs in", "Reward : risk, after costs")
    )
    told = numbers_of(bar)
    assert f"{loss.partition(' ')[0]} / {gain.partition(' ')[0]}" in told, "the bar shows what the button signs"
    assert f"Reward : risk {ratio} after costs" in told.replace("! ", "")
    assert "decided:" in told
    price = table.partition("All of it at ")[2].partition(", ")[0]
    assert price in told
    machine = row_of(table, "Loss at stop, costs in")[0]
    same = plan_figures(proposal.machine, proposal.basis, float(price.replace(",", "")))
    assert machine.partition(" ")[0] == numbers.signed(-float(same.loss_at_stop or 0), 1), "both plans in one world"
    seen = engine.trading.preview(proposal.id, Change())
    assert machine != loss
    assert float(machine.partition(" ")[0].replace(",", "").replace("−", "-")) != -float(proposal.figures.loss_at_stop or 0)
    assert seen.figures.price != proposal.figures.price


def test_what_was_filled_stands_in_the_bar_and_not_the_old_entry(start: Start) -> None:
    app = start()
    engine = shared_engine.get_engine()
    proposal = filed(engine)
    engine.trading.approve(proposal.id, "op-1", proposal.hash)
    filled = engine.trading.filled(proposal.id)
    assert filled is not None
    assert filled.report.price is not None
    app.query_params["run"] = proposal.basis.run_id
    app.run()
    told = numbers_of(next(html for html in (str(each.proto.body) for each in app.get("html")) if "tb-verdict" in html))
    step = float(proposal.basis.terms.price_step)
    assert f"Filled at {numbers.price(float(filled.report.price), step)}" in told
    assert f"{numbers.signed(-float(filled.slipped), 2)} USDT against" in told
    assert "Entry" not in told
    table = next(html for html in (str(each.proto.body) for each in app.get("html")) if "<li>Entry" in html)
    assert f"<li>Entry {numbers.price(float(filled.report.price), step)}" in table, "the chart's entry is the price it was filled at"
    assert engine.trading.filled(filed(engine).id) is None


def test_a_decision_that_is_not_signed_shows_the_ratio_after_costs_as_one_that_is() -> None:
    view = DECISION.reduce(RUNS["entry"]())
    gross = json_fields.number(view.role("executor").result, "risk_reward_ratio")
    measured = LimitCheck(rule="min_risk_reward_after_costs", measured=1.07, bound=1.0, passed=True)
    others = tuple(check for check in view.limits if check.rule != measured.rule)
    words = numbers_of(str(verdict_bar(replace(view, limits=(*others, measured)), Show())))
    assert f"Reward : risk 1.07 after costs; {numbers.number(gross, 2)} before" in words
    assert f"Reward : risk {numbers.number(gross, 2)} before costs" in numbers_of(str(verdict_bar(replace(view, limits=others), Show())))
