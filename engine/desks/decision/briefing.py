"""What a debater reads: what is decided, all the facts, the analysts' reports, the debate so far, the votes; and what a later decision
reads of this one."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.agents.attached import evidence_block
from engine.agents.evidence import evidence
from engine.agents.heard import DRAWN
from engine.desks.decision import paths
from engine.desks.decision.background import background_text, existing_keys
from engine.desks.decision.context import DecisionContext
from engine.desks.decision.speeches import DebateSpeech, heard, speeches
from engine.desks.decision.stakes import stakes
from engine.desks.decision.state import Json
from engine.domain.facts import FactSheet
from engine.domain.market.snapshot import Snapshot
from engine.domain.roles import Role
from engine.domain.text.language import Language
from engine.domain.text.visible import shortened
from engine.domain.text.word_files import read_paragraphs
from engine.facts.thesis import check_thesis, thesis_lines
from engine.grounding.one_text import ground_text
from engine.grounding.tables.markets import CRYPTO
from engine.outcomes.similar import precedent_block
from engine.prompts.fit import sentences
from engine.prompts.render import quoted, render

_TEXTS = read_paragraphs(Path(__file__).parent, "briefing")
_THESIS_CHARS = 600


def market_context(sheet: FactSheet, at: str, language: Language) -> str:
    """Return every known fact and pattern: the specification's `market_context`, a field of the state."""
    return evidence(sheet, at, language, _plain_keys(sheet), patterns=True, is_complete=True)


def facts_and_background(snapshot: Snapshot, sheet: FactSheet, at: str, language: Language) -> str:
    """Return what debaters read: every known fact once, the patterns, and how the market came here."""
    measured = evidence(sheet, at, language, existing_keys(snapshot, _plain_keys(sheet)), patterns=True)
    return "\n\n".join(filter(None, (measured, background_text(snapshot, sheet, language))))


def _plain_keys(sheet: FactSheet) -> list[str]:
    return [fact.key for fact in sheet if "." not in fact.key]


def thesis_block(snapshot: Snapshot, sheet: FactSheet, language: Language) -> str:
    """Return why the position was entered and whether that still holds, checked by code; "" if there is no position or it is not known."""
    thesis = snapshot.thesis
    if thesis is None:
        return ""
    lines = [_TEXTS["thesis"][language], thesis_lines(check_thesis(thesis, sheet), language)]
    return "\n".join([*lines, quoted("entry", thesis.text)] if thesis.text else lines)


def entry_thesis(reasoning: str, sheet: FactSheet, language: Language) -> str:
    """Return the executor's reasons for the entry, at most 600 characters, cut at the end of a sentence (of a word where the first one is
    longer), with false values corrected: those who decide about the position later are shown them."""
    kept = ""
    for sentence in sentences(reasoning):
        if len(kept) + len(sentence) >= _THESIS_CHARS:
            break
        kept = f"{kept} {sentence}".strip()
    return ground_text(kept or shortened(reasoning, _THESIS_CHARS), sheet, "executor", language, table=CRYPTO).corrected_text


def votes(reports: Mapping[str, Json]) -> str:
    """Return `indicator: SHORT 60`, a line each; an abstention says so."""
    return "\n".join(
        f"{key}: abstained" if item["abstained"] else f"{key}: {item['direction']} {item['confidence']:g}" for key, item in reports.items()
    )


def shared_briefing(state: Mapping[str, Any], context: DecisionContext) -> str:
    """Return what everybody in the debate reads first, the same bytes for each: what is decided, the facts, the analysts' reports."""
    reports: Mapping[str, Json] = state["reports"]
    language = context.language
    parts = (
        stakes(context),
        thesis_block(context.snapshot, context.sheet, language),
        facts_and_background(context.snapshot, context.sheet, context.at, language),
        evidence_block(context.snapshot.evidence, language),
        precedent_block(context.precedents, language),
        _TEXTS["said"][language],
        *(quoted(key, heard(key, item["text"], context)) for key, item in reports.items() if not item["abstained"]),
    )
    return "\n\n".join(filter(None, parts))


def debate_briefing(path: paths.Path, side: Role, state: Mapping[str, Any], context: DecisionContext) -> str:
    """Return what is behind that: the debate so far in order, then the votes. No confidence is before the words it belongs to."""
    language, made = context.language, speeches(path, state)
    first = ""
    if side == "judge":
        made = by_lot(made, context.speaks_first)
        first = render(DRAWN[language], side=path.speaker(context.speaks_first))
    said = [
        quoted(
            f"{path.speaker(each.side)} {each.round}",
            heard(each.node, str(state[path.record(each.side)]["text"])[slice(*each.span)], context),
        )
        for each in made
    ]
    cases = [f"{path.speaker(each)}: confidence {state[path.record(each)]['confidence']:g}" for each in sides_in(made)]
    consensus = f"consensus: {state['consensus_direction']} {state['consensus_confidence']:g}"
    stated = "\n".join([_TEXTS["consensus"][language], votes(state["reports"]), consensus, *cases])
    return "\n\n".join(filter(None, [_TEXTS["debate"][language] if said else "", first, *said, stated]))


def by_lot(made: Sequence[DebateSpeech], first: Role) -> list[DebateSpeech]:
    """Return speeches round by round, in each the side that was drawn first."""
    return sorted(made, key=lambda each: (each.round, each.side != first))


def sides_in(made: Iterable[DebateSpeech]) -> list[Role]:
    """Return who has spoken, in that order."""
    return list(dict.fromkeys(each.side for each in made))
