"""What the roles say in a benchmark: the scripted analyst's own words about the benchmark's candles, so that numbers stand as densely in
them as in a real decision, stretched to the length a model's answers have."""

from collections.abc import Mapping
from typing import Any

from tests.servers.llm import tokens

_FACTORS = "\n\n[Key factors]"  # behind the executor's reasoning; every other role closes with its vote


def said(state: Mapping[str, Any]) -> dict[str, str]:
    """Role -> its whole text, of a decision on the entry path."""
    reports = {key: report["text"] for key, report in state["reports"].items()}
    debate = {
        role: state[field]["text"] for role, field in (("bull", "bull_argument"), ("bear", "bear_argument"), ("judge", "judge_verdict"))
    }
    return reports | debate | {"executor": state["executor_text"]}


def lengthened(text: str, length: int) -> str:
    """A text without a closing block, said again until it has `length` tokens of the loopback model."""
    own = tokens(text.strip() + " ")
    return "".join((own * (length // len(own) + 1))[: max(length, len(own))])


def stretched(text: str, length: int) -> str:
    """The text at `length` tokens of the loopback model (as it is, if longer): its prose said again, before the closing block."""
    end = text.find(_FACTORS)
    end = end if end >= 0 else text.rindex("\n\n")
    start = text.rfind("\n", 0, end) + 1
    again = tokens(" " + text[start:end])
    missing = max(0, length - len(tokens(text)))
    more = (again * (missing // len(again) + 1))[:missing]
    return text[:end] + "".join(more) + text[end:]
