"""What a debater reads: all the facts, the consensus, the analysts' reports, and who spoke before; and what a later decision reads of this
one."""

from collections.abc import Mapping
from typing import Any

from engine.agents.evidence import evidence
from engine.domain.facts import FactSheet
from engine.domain.market.snapshot import Snapshot
from engine.domain.text.language import Language
from engine.facts.thesis import check_thesis, thesis_lines
from engine.flows.decision.background import background_text
from engine.flows.decision.reading.spans import closing_block_start
from engine.flows.decision.state import Json
from engine.grounding.one_text import ground_text
from engine.grounding.tables.crypto import CRYPTO
from engine.prompts.fit import sentences
from engine.prompts.render import Text, quoted

_CONSENSUS: Text = {"en": "=== Consensus of the analysts ===", "zh": "=== 分析师共识 ==="}
_THESIS: Text = {
    "en": "=== Why the position was entered, and what would break that (checked by code) ===",
    "zh": "=== 入场理由与失效条件（由程序核验） ===",
}
_THESIS_CHARS = 600
_SAID: Text = {"en": "=== What was said ===", "zh": "=== 已有发言 ==="}


def market_context(snapshot: Snapshot, sheet: FactSheet, at: str, language: Language) -> str:
    """Return every known fact and pattern, and how the market came here: the specification's `market_context`."""
    plain = [fact.key for fact in sheet if "." not in fact.key]
    return "\n\n".join(filter(None, (evidence(sheet, at, language, plain, patterns=True), background_text(snapshot, sheet, language))))


def thesis_block(snapshot: Snapshot, sheet: FactSheet, language: Language) -> str:
    """Return why the position was entered and whether that still holds, checked by code; "" where there is no position or nobody knows."""
    thesis = snapshot.thesis
    if thesis is None:
        return ""
    lines = [_THESIS[language], thesis_lines(check_thesis(thesis, sheet), language)]
    return "\n".join([*lines, quoted("entry", thesis.text)] if thesis.text else lines)


def entry_thesis(reasoning: str, sheet: FactSheet, language: Language) -> str:
    """Return the executor's reasons for the entry, at most 600 characters, cut at the end of a sentence, with false values corrected: those
    who decide about the position later are shown them."""
    kept = ""
    for sentence in sentences(reasoning):
        if len(kept) + len(sentence) >= _THESIS_CHARS:
            break
        kept = f"{kept} {sentence}".strip()
    return ground_text(kept or reasoning[:_THESIS_CHARS], sheet, "executor", language, table=CRYPTO).corrected_text


def votes(reports: Mapping[str, Json]) -> str:
    """Return `indicator: SHORT 60`, a line each; an abstention says so."""
    return "\n".join(
        f"{key}: abstained" if item["abstained"] else f"{key}: {item['direction']} {item['confidence']:g}" for key, item in reports.items()
    )


def briefing(context_text: str, state: Mapping[str, Any], spoken: Mapping[str, Json], language: Language) -> str:
    """Return the user message of a debater. spoken: role -> argument, in speaking order."""
    reports: Mapping[str, Json] = state["reports"]
    consensus = f"consensus: {state['consensus_direction']} {state['consensus_confidence']:g}"
    said = [quoted(key, prose(item["text"])) for key, item in reports.items() if not item["abstained"]]
    said += [f"{role}: confidence {item['confidence']:g}\n" + quoted(role, prose(item["text"])) for role, item in spoken.items()]
    return "\n\n".join([context_text, f"{_CONSENSUS[language]}\n{votes(reports)}\n{consensus}", _SAID[language], *said])


def prose(text: str) -> str:
    """Return a role's words without its closing block."""
    return text[: closing_block_start(text)].strip()
