"""What every role of the desk is asked, in both languages: its task, how it ends its answer, and the words of others it may read."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from engine.agents.heard import DRAWN
from engine.desks.equities.answers import counted_view, prose
from engine.desks.equities.sheet import TEXTS as SHEET
from engine.desks.equities.state import AnalystMemorySummary
from engine.domain.text.language import Language
from engine.domain.text.word_files import read_paragraphs
from engine.prompts.paragraphs import EVIDENCE_OF_TOOLS, FORMS_OF_ONE_TIMEFRAME
from engine.prompts.render import Text, quoted, render

ROLES: Final[Mapping[str, str]] = {
    "bull_researcher": "bull researcher",
    "bear_researcher": "bear researcher",
    "research_manager": "research manager",
    "risky": "risky debater",
    "safe": "safe debater",
    "neutral": "neutral debater",
    "risk_judge": "risk judge",
    "trader": "trader",
    "memory_summarizer": "memory summarizer",
}
"""Node -> the role's name in the first line of its instructions."""
_TEXTS: Final = read_paragraphs(Path(__file__).parent, "prompts")
NO_MEMORY: Final[Text] = _TEXTS["no_memory"]
MISSING_REPORT: Final[Text] = _TEXTS["missing_report"]
_TRADE: Final = (
    "action: BUY|SELL|HOLD\nquantity: shares, 0 with HOLD\nlimit_price: price or MARKET\nstop_price: price; NONE only with SELL or HOLD\n"
    "target_price: price or NONE\nconfidence: 0-100"
)
_BLOCKS: Final = {
    "view": "direction: BULLISH|BEARISH|NEUTRAL\nconfidence: 0-100",
    "plan": "action: BUY|SELL|HOLD\nconfidence: 0-100",
    "decision": _TRADE,
    "order": _TRADE,
}
"""Closing blocks."""
_ENDINGS: Final = {"research_manager": ("ruling", "plan"), "risk_judge": ("ruling", "decision"), "trader": ("ruling", "order")}
"""Node -> how long its answer is, and the block that it ends with; speeches of debaters have none."""
RESEARCHERS = ("bull_researcher", "bear_researcher")
_LABEL = re.compile(r'^<said by="([^"\n]*)">$', re.MULTILINE)
_ENVELOPE = re.compile(r'^<said by="[^"\n]*">$.*?^</said>$', re.MULTILINE | re.DOTALL)


def shared_system(language: Language) -> str:
    """Return what every role is told first, the same bytes for each: what the facts are, the forms, the horizon."""
    return "\n\n".join((EVIDENCE_OF_TOOLS[language], FORMS_OF_ONE_TIMEFRAME[language], _TEXTS["stakes"][language]))


def analyst_system(role: str, task: str, limit: int, language: Language, *, with_tools: bool) -> str:
    tools = [render(_TEXTS["tools"][language], limit=str(limit))] if with_tools else []
    return "\n\n".join([shared_system(language), f"Role: {role}\n{task}", *tools, _ending("report", "view", language)])


def shown_paragraphs(language: Language) -> tuple[str, ...]:
    """Return the headings and labels under which roles read what others said."""
    return (_TEXTS["said"][language], _TEXTS["votes"][language], *(each[language] for each in _TEXTS["memory"].values()))


def memory_system(language: Language) -> str:
    """Return the system message of the memory summarizer, which is given reports and no facts."""
    return _role("memory_summarizer", "task", language)


def room_task(node: str, language: Language, turn: str = "", *, index: bool = False) -> str:
    """Return what a debater, a judge or the trader is asked, how it ends its answer last. turn: what a debater does in this round. index:
    the debate is about an index, and its advisor follows."""
    length, block = _ENDINGS.get(node, ("speech", ""))
    parts = [_role(node, "of_an_index" if index else "task", language), turn, _ending(length, block, language)]
    return "\n\n".join(filter(None, parts))


def lone_task(language: Language) -> str:
    """Return the task of a trader that decides without the other roles."""
    return f"{_role('trader', 'alone', language)}\n\n{_ending(*_ENDINGS['trader'], language)}"


def _role(node: str, task: str, language: Language) -> str:
    return f"Role: {ROLES[node]}\n{_TEXTS[task][node][language]}"


def _ending(length: str, block: str, language: Language) -> str:
    words = _TEXTS["length"][length][language]
    if not block:
        return render(_TEXTS["free"][language], length=words)
    return render(_TEXTS["ends"][language], length=words, heading=_TEXTS["heading"][block][language], block=_BLOCKS[block])


def memory_text(key: str, memory: AnalystMemorySummary, language: Language) -> str:
    """Return an analyst's memory as another role reads it: what says the same twice is given once."""
    parts, seen = [], set[str]()
    for name, field in (("today", "today_report"), ("pre_open", "memory_summary_pre_open"), ("post_close", "memory_summary_post_close")):
        text: str = memory[field]  # type: ignore[literal-required]
        if text and text not in seen:
            seen.add(text)
            parts.append(quoted(render(_TEXTS["memory"][name][language], key=key), prose(text) if name == "today" else text))
    return "\n".join(parts) if parts else render(MISSING_REPORT[language], key=key)


def sent_parts(user: str, language: Language) -> dict[str, int]:
    """Return what a message holds, read in the message itself: `reports`, `summaries`, `memory` (the reader's own), `plan`, `decision`,
    speeches of `research` and of `risk`, `account`, `positions`, and how many of each."""
    parts = Counter(kind for label in _LABEL.findall(user) if (kind := _kind_of(label, language)) is not None)
    lines = _ENVELOPE.sub("", user).splitlines()
    parts["account"] = int(any(line.startswith("account_cash = ") for line in lines))
    parts["positions"] = sum(line.startswith(SHEET["held"][language].partition("{")[0]) for line in lines)
    return {kind: count for kind, count in parts.items() if count}


def _kind_of(label: str, language: Language) -> str | None:
    """Return what is in an envelope of this label."""
    for name, texts in _TEXTS["memory"].items():
        if re.fullmatch(re.escape(texts[language]).replace(r"\{key\}", r"\w+"), label):
            return "reports" if name == "today" else "summaries"
    speaker, turn, _ = label.partition(", ")
    if turn:
        return "research" if speaker in RESEARCHERS else "risk"
    return {"memory": "memory", "research manager": "plan", "risk judge": "decision"}.get(label)


def views_text(memories: Mapping[str, AnalystMemorySummary], language: Language) -> str:
    """Return the views of today's reports, a line each: they are behind all words. memories: analyst -> its memory."""
    views = {key: counted_view(memory["today_report"]) for key, memory in memories.items() if memory["today_report"]}
    lines = [f"{key}: {view.direction.value} {view.confidence:g}" for key, view in views.items()]
    return "\n".join([_TEXTS["votes"][language], *lines]) if lines else ""


def said(messages: Sequence[Mapping[str, Any]], language: Language, note: str = "") -> str:
    """Return a debate so far as the next one reads it, under its heading: with every false statement corrected; "" before anybody spoke.
    note: of the order that it is in."""
    speeches = [quoted(f"{each['speaker']}, {each['turn']}", prose(each["corrected"])) for each in messages]
    return "\n".join(filter(None, [_TEXTS["said"][language], note, *speeches])) if speeches else ""


def said_by_lot(messages: Sequence[Mapping[str, Any]], first: str, language: Language) -> str:
    """Return a debate of two sides as it is read by who rules on it: round by round, in each the side that was drawn first."""
    ordered = sorted(messages, key=lambda each: ((each["turn"] - 1) // len(RESEARCHERS), each["speaker"] != first))
    return said(ordered, language, render(DRAWN[language], side=first))
