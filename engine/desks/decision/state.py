"""The channels of the decision flow, named as the specification names them. Plain JSON only: no candles, no objects.

`TradingDecisionState` is the whole of it; the subgraphs have private states of their own and hand back only what their output names.
"""

import operator
from typing import Annotated, Any, TypedDict

Json = dict[str, Any]


class DecisionInput(TypedDict, total=False):
    """What is decided about, and how."""

    pair: str
    current_price: float
    timeframe: str
    timeframe_htf: str | None
    market_context: str
    ohlcv_data: Json | None  # a reference into the snapshot, never the candles
    ohlcv_data_htf: Json | None
    has_position: bool
    position_side: str | None
    position_profit_pct: float | None
    position_entry_price: float | None
    position_size: float | None
    position_leverage: float | None
    llm_config: Json | None
    risk_config: Json | None


class ReportFields(TypedDict, total=False):
    """What the analysts said, at the end out of `reports`."""

    indicator_report: Json | None
    trend_report: Json | None
    sentiment_report: Json | None
    pattern_report: Json | None


class AnalysisFields(TypedDict, total=False):
    """What the analysis comes to."""

    reports: dict[str, Json]  # every analyst's, by key: an added analyst needs no channel of its own
    consensus_direction: str | None
    consensus_confidence: float
    key_support: float | None
    key_resistance: float | None
    weighted_scores: dict[str, float] | None
    analyst_weights: dict[str, Json] | None  # role -> its weight and what its honesty makes of it, where that is asked for
    analysis_timestamp: str | None
    analysis_duration_ms: float | None
    analysis_token_usage: dict[str, int] | None


class DebateFields(TypedDict, total=False):
    """What a debate comes to: the arguments and verdict of its path."""

    bull_argument: Json | None
    bear_argument: Json | None
    judge_verdict: Json | None
    position_bull_argument: Json | None
    position_bear_argument: Json | None
    position_judge_verdict: Json | None
    debate_path: str | None
    debate_timestamp: str | None
    debate_duration_ms: float | None
    debate_token_usage: dict[str, int] | None
    debate_round: int | None
    debate_speeches: list[Json] | None  # bull's and bear's, in order: node, round, and its place in the record's text
    judge_reads_first: str | None  # the side that the judge's prompt puts first in every round, by lot
    lost_usage: Json | None  # what a debater that gave no answer cost
    confirmation: Json | None  # what a second reader said of the strikes (`agents/claim_reader.py`)


class TradingDecisionState(DecisionInput, ReportFields, AnalysisFields, DebateFields, total=False):
    """One decision: input, every stage's output, result, trace. Prices in quote currency, *_pct in percent, times ISO 8601 UTC."""

    # grounding
    grounding_result: Json | None
    grounding_verified: bool
    hallucination_score: float | None
    analysis_hallucination_score: float | None
    total_claims: int | None
    verified_claims: int | None
    false_claims: int | None
    corrected_values: dict[str, float] | None
    corrected_context: str | None
    grounding_summary: str | None
    false_claim_details: list[Json] | None
    position_grounding_result: Json | None
    position_hallucination_score: float | None
    position_corrected_values: dict[str, float] | None
    position_corrected_context: str | None
    position_grounding_summary: str | None
    position_false_claim_details: list[Json] | None
    grounding_timestamp: str | None
    grounding_duration_ms: float | None

    # executor
    final_action: str | None
    final_confidence: float
    final_direction: str | None
    final_leverage: int | None
    stop_loss_price: float | None
    take_profit_price: float | None
    stop_loss_pct: float | None
    take_profit_pct: float | None
    risk_reward_ratio: float | None
    adjustment_pct: float | None
    adjustment_type: str | None
    executor_reasoning: str | None
    executor_key_factors: list[str] | None
    executor_risk_assessment: str | None
    executor_confidence: float | None  # as it was stated
    confidence_penalty: float | None  # percent that was taken off it
    calibrated_confidence: float | None  # percent of earlier decisions of the final one that gained, where the entry is sized by it
    executor_confidence_breakdown: dict[str, float | None] | None
    executor_timestamp: str | None
    executor_duration_ms: float | None
    executor_token_usage: dict[str, int] | None
    executor_model: str | None
    executor_text: str | None  # the executor's whole answer
    executor_usage: Json | None
    executor_claims: list[Json] | None  # what grounding read in it
    corrections_used: list[Json] | None  # what it made of the debate's corrections
    did_it_matter: Json | None  # on request: what it decides without the corrections
    stability: Json | None  # on request: how often it came to the same action when its roles were asked again
    refused_decision: Json | None  # a sound decision that the limits refused
    execution_record: Json | None  # how its signed order was carried out, read from the journal when the state is shown
    proposal_id: str | None  # what the decision was filed as, when that was asked for and there is an order in it
    planted: list[Json] | None  # lies told on purpose, and whether they were caught
    limits: list[Json]
    said_on: dict[str, Json] | None  # role -> the earlier market its words were about, in a run that took them over

    # result
    execution_result: Json | None
    is_valid: bool

    # trace
    execution_path: str | None
    nodes_executed: Annotated[list[str], operator.add]
    halted: str | None  # why the flow ended before the executor
    thread_id: str
    run_id: str
    snapshot_id: str
    snapshot_hash: str
    prompts_hash: str | None  # of every prompt of the desk, in the run's language
    created_at: str
    completed_at: str | None
    total_duration_ms: float | None
    total_token_usage: dict[str, int] | None
    total_cost: float | None
    metrics: Json | None
    errors: Annotated[list[str], operator.add]
    warnings: Annotated[list[str], operator.add]

    # for learning and replay
    decision_id: str | None
    historical_similar_decisions: list[Json] | None
    expected_outcome: str | None
    backtest_mode: bool | None
    backtest_timestamp: str | None
    actual_outcome: Json | None
    chart_image_path: str | None
    chart_annotations: list[Json] | None


class _Left(TypedDict, total=False):
    """What a subgraph leaves of its course; its lists have no reducer here, so nothing doubles."""

    nodes_executed: list[str]
    halted: str | None
    errors: list[str]
    warnings: list[str]


class AnalysisInput(TypedDict, total=False):
    """What the analysis takes from the decision."""

    created_at: str


class AnalysisOutput(AnalysisFields, _Left, total=False):
    """What the analysis gives to the decision."""


class AnalysisState(AnalysisInput, AnalysisOutput, total=False):
    """Private state of the analysis: what the parallel analysts gather by key, and what the aggregator makes of it."""

    gathered: Annotated[dict[str, Json], operator.or_]


class DebateInput(TypedDict, total=False):
    """What a debate takes from the decision."""

    reports: dict[str, Json]
    consensus_direction: str | None
    consensus_confidence: float
    analysis_timestamp: str | None


class DebateOutput(DebateFields, _Left, total=False):
    """What a debate gives to the decision."""


class DebateState(DebateInput, DebateOutput, total=False):
    """Private state of a debate."""

    turn: int
