"""The channels of the desk: what all of it shares, and the private states of analysts and debates. Plain JSON only.

A private state leaves through its output schema and through nothing else: of an analyst its record, of a debate its conclusions. No list
with a reducer crosses a border: `analysts` is merged by key.
"""

import operator
from typing import Annotated, Any, TypedDict

Json = dict[str, Any]


class AnalystMemorySummary(TypedDict):
    """What an analyst's memory gives. today_report: of this date and session or the last one of the day, "" without one. The summaries:
    long-term, as of before this session's open and as of the last close; "" while there is none."""

    today_report: str
    memory_summary_pre_open: str
    memory_summary_post_close: str


class SummaryFields(TypedDict, total=False):
    """What the analysts leave to the research debate. strikes: of the reports, for the second reader (`agents/claim_reader.py`); empty
    where none is asked."""

    market_analyst_summary: AnalystMemorySummary | None
    news_analyst_summary: AnalystMemorySummary | None
    sentiment_analyst_summary: AnalystMemorySummary | None
    fundamentals_analyst_summary: AnalystMemorySummary | None
    strikes: list[Json]


class AccountFields(TypedDict, total=False):
    """The account and the market, as the risk debate is given them."""

    account_cash: float
    account_total_value: float
    current_price: float
    portfolio_positions: dict[str, Json]
    max_drawdown: float | None
    largest_allowed_order: float


class PlanFields(TypedDict, total=False):
    """What the research debate comes to."""

    investment_plan: str | None
    research_summary: Json | None


class IndexFields(TypedDict, total=False):
    """What the debate about an index comes to: what its advisor reads of it, and its strikes."""

    index_debate: Json | None


class RulingFields(TypedDict, total=False):
    """What the risk debate comes to."""

    final_trade_decision: str | None
    risk_summary: Json | None


class DebateEnd(TypedDict, total=False):
    """What leaves every debate. checked: node and turn -> how many of its numbers were false (`checking.py`)."""

    checked: Annotated[dict[str, Json], operator.or_]
    halted: str | None


class FusionState(SummaryFields, AccountFields, PlanFields, IndexFields, RulingFields, DebateEnd, total=False):
    """What researchers, risk managers and trader share, named as the specification names it. Money in the listing's currency, *_pct and
    max_drawdown in percent, trade_date YYYY-MM-DD. The `*_report` and `index_info` fields are those of the index preset."""

    company_of_interest: str
    trade_date: str
    trade_timestamp: str | None
    trading_session: str
    preset: str
    prompts_hash: str | None
    created_at: str

    analysts: Annotated[dict[str, Json], operator.or_]
    index_info: Json | None
    macro_report: str | None
    policy_report: str | None
    sector_report: str | None
    technical_report: str | None
    international_report: str | None
    strategy_report: str | None

    trader_investment_plan: str | None
    previous_close: float | None
    trade: Json | None
    execution_record: Json | None


class AnalystInput(TypedDict):
    """What an analyst is given: whom it is about, and when."""

    company_of_interest: str
    trade_date: str
    trade_timestamp: str | None


class AdvisorInput(AnalystInput):
    """What an analyst is given that advises on the reports of all others and on their debate; None where none was held."""

    analysts: dict[str, Json]
    index_debate: Json | None


class AnalystState(AnalystInput, total=False):
    """One analyst's own: no other node reads it, and it ends with its branch. messages: the chat with its tools. lost: why the last try
    gave nothing, and lookups: the calls that it executed all the same."""

    messages: list[Json]
    lookups: list[Json]
    tool_call_count: int
    breaker: bool
    attempts: int
    view: Json | None
    report: str | None
    lost: str | None
    held: Json | None
    analysts: dict[str, Json]
    index_debate: Json | None
    strikes: list[Json]
    checked: Json
    cleared: Json


class AnalystOutput(TypedDict):
    """What leaves an analyst: how it ended, and the report that its memory keeps."""

    analysts: dict[str, Json]


class Conversation(DebateEnd, total=False):
    """What every debate keeps to itself. messages: {"speaker", "turn", "text", "corrected", "strikes"}, in speaking order. turn: speeches
    so far."""

    messages: Annotated[list[Json], operator.add]
    latest_speaker: str | None
    count: int
    turn: int


class InvestDebateState(SummaryFields, PlanFields, Conversation, total=False):
    """The research debate, closed."""


class InvestDebateOutput(PlanFields, DebateEnd, total=False):
    """What leaves the research debate."""


class IndexDebateState(AnalystOutput, IndexFields, Conversation, total=False):
    """The debate about an index, closed."""


class IndexDebateOutput(IndexFields, DebateEnd, total=False):
    """What leaves the debate about an index."""


class RiskDebateInput(AccountFields, PlanFields, total=False):
    """What the risk debate is given: no report of any analyst."""


class RiskDebateState(RiskDebateInput, RulingFields, Conversation, total=False):
    """The risk debate, closed."""


class RiskDebateOutput(RulingFields, DebateEnd, total=False):
    """What leaves the risk debate."""
