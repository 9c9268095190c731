"""What plans read: companies, and how far each result can be relied on. Every check of every tool can put a result below the threshold."""

from datetime import date, timedelta
from typing import Any

import pytest

from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.tools.companies import company_fundamentals, company_news
from engine.desks.plan.tools.protocol import NoData, ToolResult
from engine.domain.errors import TribunalError
from tests.flows.plan.altered import FIGURES, FILING, NEWS, TICKER, AlteredEquities, AlteredFeed, Sources, headline
from tests.flows.plan.material import AT

THRESHOLD = 0.6
BTC = {"symbol": "BTC/USDT:USDT"}
RSI = {**BTC, "indicator": "rsi_14", "bars": 48}
VOLUME = {**BTC, "indicator": "volume", "bars": 48}
PAIR = {"symbol_a": "BTC/USDT:USDT", "symbol_b": "ETH/USDT:USDT", "bars": 200}
COMPANY = {"symbol": TICKER}
FACTS = {**BTC, "keys": ["close", "rsi_14", "fear_greed", "funding_rate_pct", "ema_200"]}
RANK = {"operation": "percentile", "a": 3, "values": [float(n) for n in range(20)]}
WHY = {"question": "Why do longs pay?"}
PAPER = {"title": "t", "url": "https://x.example/1", "source": "openalex", "published_date": "2026-05-01"}


def decided(hours: float, action: str | None = "LONG", *, sound: bool = True) -> dict[str, Any]:
    return {
        "at": (AT - timedelta(hours=hours)).isoformat(),
        "flow": "decision",
        "action": str(action),
        "is_valid": sound,
        "price": 61_200.0,
    }


def answer(confidence: float = 0.9, papers: int = 3, dated: int = 3) -> dict[str, Any]:
    kept = [PAPER if n < dated else {**PAPER, "published_date": None} for n in range(papers)]
    said = [{"text": "Because the crowd is long [1].", "status": "no_number"}]
    return {"answer": "Because the crowd is long [1].", "statements": said, "confidence": confidence, "top_papers": kept}


SOUND: dict[str, tuple[dict[str, Any], Sources]] = {
    "market_snapshot": (BTC, Sources()),
    "market_facts": (FACTS, Sources()),
    "indicator_series": (RSI, Sources()),
    "correlation": (PAIR, Sources()),
    "funding_history": (BTC, Sources()),
    "open_interest_history": (BTC, Sources()),
    "company_fundamentals": (COMPANY, Sources()),
    "company_news": (COMPANY, Sources()),
    "past_decisions": (BTC, Sources(past=[decided(3), decided(9)])),
    "calculate": (RANK, Sources()),
    "research_question": (WHY, Sources(answer=answer())),
}
"""Tool -> what it is asked, and sources that leave nothing to be desired."""


def company(**changed: Any) -> Sources:
    """The company with another report."""
    return Sources(company=AlteredEquities([FILING.model_copy(update=changed)]))


def news(*items: Any) -> Sources:
    return Sources(company=AlteredEquities(news=items))


LATE = Sources(AlteredFeed(late=72))
NOTHING_AROUND = dict.fromkeys(("funding_rate", "open_interest", "open_interest_24h_ago", "fear_greed"))
WORSE: list[tuple[str, str, Sources, dict[str, Any]]] = [
    ("market_snapshot", "freshness", LATE, {}),
    ("market_snapshot", "coverage", Sources(AlteredFeed(around=NOTHING_AROUND)), {}),
    ("market_snapshot", "agreement", Sources(AlteredFeed(twin=1.02)), {}),
    ("market_snapshot", "shape", Sources(AlteredFeed(around={"funding_rate": 0.3})), {}),
    ("indicator_series", "coverage", Sources(AlteredFeed(fewer=30)), {}),
    ("indicator_series", "shape", Sources(AlteredFeed(values=lambda value: -value)), VOLUME),
    ("correlation", "shape", Sources(), {"bars": 11}),
    ("funding_history", "coverage", Sources(AlteredFeed(fewer=5)), {}),
    ("company_fundamentals", "freshness", company(report_period=date(2024, 12, 31), filed=date(2025, 2, 1)), {}),
    ("company_fundamentals", "agreement", company(values={**FIGURES, "net_margin_pct": 45.0}), {}),
    ("company_fundamentals", "shape", company(values={**FIGURES, "gross_margin_pct": 140.0}), {}),
    ("company_news", "freshness", news(*(headline(13 * 24 + n, f"Old {n}", source) for n, source in enumerate("ABC"))), {"days": 14}),
    ("company_news", "agreement", news(*(headline(n + 20, f"T{n}", source, n - 1.0) for n, source in enumerate("ABC"))), {}),
    ("past_decisions", "freshness", Sources(past=[decided(24 * 25)]), {}),
    ("past_decisions", "coverage", Sources(past=[decided(3), decided(5, None)]), {}),
    ("calculate", "shape", Sources(), {"values": [1.0, 2.0, 3.0]}),
    ("research_question", "coverage", Sources(answer=answer(papers=1, dated=1)), {}),
    ("research_question", "agreement", Sources(answer=answer(confidence=0.4)), {}),
    ("research_question", "shape", Sources(answer=answer(dated=1)), {}),
]
"""Tool, the check that is worse, what makes it so, what else is asked."""


async def read(tool: str, sources: Sources, asked: dict[str, Any], inputs: tuple[float, ...] = ()) -> ToolResult:
    return await ToolRegistry(sources=sources).run(tool, asked, AT, inputs)  # type: ignore[arg-type]


def scores(result: ToolResult) -> dict[str, float]:
    return {check.name: check.score for check in result.checks}


@pytest.mark.parametrize("tool", SOUND)
async def test_what_is_sound_is_well_above_the_threshold(tool: str) -> None:
    asked, sources = SOUND[tool]
    result = await read(tool, sources, asked)
    assert result.confidence >= 0.85, result.checks
    assert result.as_of <= AT


@pytest.mark.parametrize(("tool", "check", "sources", "asked"), WORSE, ids=[f"{tool} {check}" for tool, check, *_ in WORSE])
async def test_every_check_can_put_a_result_below_the_threshold(tool: str, check: str, sources: Sources, asked: dict[str, Any]) -> None:
    best = scores(await read(tool, *reversed(SOUND[tool])))
    found = scores(await read(tool, sources, {**SOUND[tool][0], **asked}))
    assert found[check] < min(THRESHOLD, best[check])
    result = await read(tool, sources, {**SOUND[tool][0], **asked})
    assert result.confidence < THRESHOLD
    assert found[check] == min(found.values()), "it is this check that says so"


async def test_what_no_document_bears_out_is_no_result() -> None:
    said = [{"text": "Longs paid 0.01 % [1].", "status": "supported"}, {"text": "It was 7.77 % before [1].", "status": "unsupported"}]
    result = await read("research_question", Sources(answer={**answer(), "statements": said}), WHY)
    assert (result.output["answer"], result.output["unsupported"]) == ("Longs paid 0.01 % [1].", 1)
    with pytest.raises(NoData):
        await read("research_question", Sources(answer={**answer(), "statements": said[1:]}), WHY)


async def test_a_sum_is_as_sure_as_the_least_sure_of_its_parts() -> None:
    result = await read("calculate", Sources(), {"operation": "divide", "a": 1, "b": 2}, (0.9, 0.41))
    assert (result.confidence, scores(result)) == (0.41, {"coverage": 0.41})


async def test_the_newest_report_of_a_kind_that_was_filed_by_then() -> None:
    later = FILING.model_copy(update={"report_period": date(2026, 6, 30), "filed": AT.date() + timedelta(days=9)})
    annual = FILING.model_copy(update={"report_period": date(2025, 12, 31), "filed": date(2026, 2, 1), "period": "annual"})
    sources = Sources(company=AlteredEquities([later, FILING, annual]))
    newest = (await read("company_fundamentals", sources, COMPANY)).output
    assert (newest["report_period"], newest["filed"], newest["period"]) == ("2026-03-31", "2026-05-01", "quarterly")
    assert newest["figures"]["pe_ratio"] == 28.0  # type: ignore[index, call-overload]
    yearly = (await read("company_fundamentals", sources, {**COMPANY, "period": "annual"})).output
    assert yearly["report_period"] == "2025-12-31"
    said = company_fundamentals.sentence(newest, "en")
    assert "revenue growth +5.0 %" in said
    assert "P/E 28.0" in said
    assert "市盈率 28.0" in company_fundamentals.sentence(newest, "zh")


async def test_a_filing_date_that_is_assumed_is_said_and_weighs() -> None:
    result = await read("company_fundamentals", company(filed=None, report_period=date(2026, 1, 31)), COMPANY)
    assert result.output["filed"] == "2026-04-01", "60 days after the period's end"
    assert scores(result)["shape"] == 0.9


async def test_headlines_by_then_that_hold_the_words() -> None:
    items = (*NEWS, headline(-5, "Tomorrow", "Wire"), headline(30, "Recall of a model", "Post"))
    found = (await read("company_news", news(*items), COMPANY)).output
    titles = [each["title"] for each in found["headlines"]]  # type: ignore[index, call-overload, union-attr]
    assert "Tomorrow" not in titles
    assert (found["count"], found["publishers"], titles[0]) == (5, 3, "Headline 0")
    about = (await read("company_news", news(*items), {**COMPANY, "query": "recall strike"})).output
    assert about["count"] == 1
    assert "“Headline 0”" in company_news.sentence(found, "en")


@pytest.mark.parametrize(
    ("tool", "sources", "asked", "said"),
    [
        ("company_fundamentals", Sources(company=AlteredEquities([])), COMPANY, "no report known"),
        ("company_news", Sources(), {**COMPANY, "query": "volcano"}, "nothing with 'volcano'"),
        ("company_news", Sources(), {"symbol": "NOPE.XX"}, "NOPE"),
        ("past_decisions", Sources(), BTC, "holds no decision"),
        ("research_question", Sources(answer={"answer": "", "top_papers": []}), WHY, "no source answered"),
    ],
)
async def test_without_data_a_tool_says_so_and_invents_nothing(tool: str, sources: Sources, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(TribunalError, match=said) as failure:
        await read(tool, sources, asked)
    assert "\n" not in str(failure.value)
    if said.startswith(("no ", "has", "nothing", "holds")):
        assert isinstance(failure.value, NoData)
