"""Whether a model can play its parts: reached, streaming, quick enough, its closing block readable, tools called, held to a schema, its
price known.

Three short questions are asked, at once, once each: for a text with a closing block, for a tool, for an answer of a schema. No run and no
budget is touched; the price of some hundred tokens is.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.diagnostics.probe import Results, line
from engine.diagnostics.wording import DiagnosticWords
from engine.domain.diagnostics.result import DiagnosticResult, DiagnosticStatus
from engine.domain.errors import CallFailed, ModelError, ModelUnavailable
from engine.llm.blocks import read_block
from engine.llm.calls import Answer, CallPolicy, complete
from engine.llm.protocol import AnswerSchema, Model, ModelCall, Planted, Tool

SLOW_MS = 10_000.0
_TASK = "You check a connection. Answer exactly as you are asked, without any other word."
_TEXT = (
    "Write the sentence 'The connection works and every word of this sentence arrives as it is written.' and then, each on a line of its "
    "own:\n\n[View]\ndirection: NEUTRAL\nconfidence: 50"
)
_ASK = "Call the tool latest_price for the symbol BTC/USDT:USDT. Write no text."
_TOOL = Tool(
    "latest_price",
    "Return the latest price of a market.",
    {"type": "object", "properties": {"symbol": {"type": "string"}}, "required": ["symbol"]},
)
_ASK_JSON = (
    'Answer with a JSON object, the direction NEUTRAL and the confidence 50: {"direction": "NEUTRAL", "confidence": 50}. Nothing else.'
)
_SCHEMA = AnswerSchema(
    "submit_view",
    "Hands in the view.",
    {
        "type": "object",
        "properties": {"direction": {"type": "string"}, "confidence": {"type": "number"}},
        "required": ["direction", "confidence"],
        "additionalProperties": False,
    },
)
_LINES = ("streaming", "first_token", "structured_output", "tools", "json_schema")


@dataclass(frozen=True)
class ModelTerms:
    """What is asked of a model besides. price_known: whether TRIBUNAL_PRICES names it. cost_is_limited: whether a limit of money needs that
    price. max_tokens: bound of an answer. streamed: whether the last answer came as an event stream; None = nothing came. answer_form: how
    it is held to a schema, as far as is known: `response_format`, `tool` or `text`."""

    price_known: bool
    cost_is_limited: bool
    max_tokens: int
    streamed: Callable[[], bool | None]
    answer_form: Callable[[], str]


class _Pieces:
    """Listens to a call; nothing of it is kept."""

    def text(self, piece: str, attempt: int) -> None:
        """See CallListener."""

    def planted(self, planted: Planted) -> None:
        """See CallListener."""

    def retrying(self, attempt: int, reason: str, wait_s: float) -> None:
        """See CallListener."""


async def probe_model(model: Model, terms: ModelTerms, words: DiagnosticWords, within_s: float) -> Results:
    """Return the lines of one model. within_s: seconds for its answers; what has none by then is a line that failed."""
    price = _price(model.name, terms, words)
    policy = CallPolicy(deadline_s=within_s, attempts=1, max_tokens=terms.max_tokens)
    try:
        await model.ready()
        asked = (_call(_TEXT), replace(_call(_ASK), tools=(_TOOL,)), replace(_call(_ASK_JSON), answer_schema=_SCHEMA))
        text, *others = await asyncio.gather(*(complete(model, each, policy, _Pieces()) for each in asked), return_exceptions=True)
        if isinstance(text, BaseException):
            raise text
    except ModelError as problem:
        failed = line("model.reached", "failed", _why(problem, words, within_s), _advice(problem, words))
        return [failed, *(line(f"model.{name}", "skipped", words("not_asked")) for name in _LINES), price]
    tool, form = (_answered(each) for each in others)
    reached = line("model.reached", "ok", words("model_answers", model=model.name))
    rest = (_streaming(terms, words), _first_token(text, words), _structured(text, words), _tools(tool, words))
    return [reached, *rest, _by_schema(form, terms.answer_form(), words), price]


def scripted_lines(words: DiagnosticWords) -> Results:
    """Return the lines of the scripted model, of which nothing need be asked."""
    lines = [line("model.reached", "ok", words("model_scripted"), words("model_scripted_do"))]
    return [*lines, *(line(f"model.{name}", "skipped", words("not_for_script")) for name in (*_LINES, "price"))]


def _answered(answer: Answer | BaseException) -> Answer | ModelError:
    """Return an answer, or why there is none. Raises what is nobody's answer."""
    if isinstance(answer, BaseException) and not isinstance(answer, ModelError):
        raise answer
    return answer


def _call(user: str) -> ModelCall:
    return ModelCall(role="diagnostics", language="en", system=_TASK, user=user)


def _streaming(terms: ModelTerms, words: DiagnosticWords) -> DiagnosticResult:
    if terms.streamed() is False:
        return line("model.streaming", "warning", words("streams_not"), words("streams_not_do"))
    return line("model.streaming", "ok", words("streams"))


def _first_token(answer: Answer, words: DiagnosticWords) -> DiagnosticResult:
    ms = answer.usage.first_token_ms
    if ms is None:
        return line("model.first_token", "warning", words("no_text"), words("no_text_do"))
    detail = words("first_token", seconds=f"{ms / 1000:.2f}", whole=f"{answer.usage.duration_ms / 1000:.2f}")
    return line("model.first_token", "warning", detail, words("slow_do")) if ms > SLOW_MS else line("model.first_token", "ok", detail)


def _structured(answer: Answer, words: DiagnosticWords) -> DiagnosticResult:
    block = read_block(answer.text, ("direction", "confidence"))
    missing = [key for key in ("direction", "confidence") if key not in block]
    if missing:
        return line("model.structured_output", "warning", words("block_unread", keys=", ".join(missing)), words("block_unread_do"))
    return line("model.structured_output", "ok", words("block_read"))


def _tools(answer: Answer | ModelError, words: DiagnosticWords) -> DiagnosticResult:
    if isinstance(answer, ModelError):
        return line("model.tools", "warning", words("tools_refused", why=str(answer)), words("tools_do"))
    named = [call for call in answer.tool_calls if call.name == _TOOL.name]
    if not named:
        return line("model.tools", "warning", words("tools_none"), words("tools_do"))
    try:
        fine = isinstance(json.loads(named[0].arguments), dict)
    except ValueError:
        fine = False
    if not fine:
        return line("model.tools", "warning", words("tools_garbled"), words("tools_do"))
    return line("model.tools", "ok", words("tools_called"))


def _by_schema(answer: Answer | ModelError, form: str, words: DiagnosticWords) -> DiagnosticResult:
    """Return whether an answer can be held to a schema. form: by which means it was asked for in the end."""
    if isinstance(answer, ModelError):
        return line("model.json_schema", "warning", words("schema_refused", why=str(answer)), words("schema_do"))
    calls = [call.arguments for call in answer.tool_calls if call.name == _SCHEMA.name]
    try:
        found = json.loads(calls[0] if calls else answer.text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not {"direction", "confidence"} <= found.keys():
        return line("model.json_schema", "warning", words(f"schema_not_kept_{form}"), words("schema_do"))
    return line("model.json_schema", "ok", words(f"schema_kept_{form}"))


def _price(name: str, terms: ModelTerms, words: DiagnosticWords) -> DiagnosticResult:
    if terms.price_known:
        return line("model.price", "ok", words("price_known", model=name))
    status: DiagnosticStatus = "failed" if terms.cost_is_limited else "warning"
    return line("model.price", status, words("price_unknown", model=name), words("price_do", model=name))


def _why(problem: ModelError, words: DiagnosticWords, within_s: float) -> str:
    if isinstance(problem, CallFailed) and "no complete answer within" in str(problem):
        return words("no_answer", seconds=f"{within_s:g}")
    return str(problem)


def _advice(problem: ModelError, words: DiagnosticWords) -> str:
    text = str(problem)
    if "(401)" in text or "(403)" in text or "OPENAI_API_KEY" in text:
        return words("key_do")
    if "(404)" in text:
        return words("model_name_do")
    if "429" in text:
        return words("busy_do")
    return words("address_do") if isinstance(problem, ModelUnavailable | CallFailed) else words("failed_do")
