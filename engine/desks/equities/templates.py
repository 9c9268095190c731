"""What every role of the desk is asked with whatever the company is: the templates behind the versions of its prompts.

A paragraph that is missing here could change without a new version: `tests/engine/prompts/test_versions.py` finds it in what is asked.
"""

import json
from functools import cache
from typing import Final

from engine.agents import attached, claim_question, evidence, heard, limit_texts, reader_nodes, tool_loop
from engine.desks.equities import analyst, sheet, trader
from engine.desks.equities.debates import research, risk
from engine.desks.equities.memory import summary_node
from engine.desks.equities.presets import PRESETS, EquityAnalyst, preset_of
from engine.desks.equities.prompts import (
    MISSING_REPORT,
    NO_MEMORY,
    analyst_system,
    memory_system,
    room_task,
    shared_system,
    shown_paragraphs,
)
from engine.desks.equities.sheet import TABLE
from engine.desks.equities.stages import HEARD
from engine.desks.equities.tools import TOOLS
from engine.domain.text.language import Language
from engine.grounding import correct
from engine.outcomes import similar
from engine.prompts.paragraphs import DECLINED, REPAIR, REPAIR_BLOCK, SHORTER, turn_task
from engine.prompts.versions import TABLES, Templates, paragraphs_of, written_out

_RESEARCH: Final = ("bull_researcher", "bear_researcher", "research_manager")
_RISK: Final = ("risky", "safe", "neutral", "risk_judge")
_TURNS: Final = ((1, True), (1, False), (2, False))


@cache
def templates(language: Language) -> Templates:
    """Return node -> its templates, of the analysts of both presets, their memories, debaters, judges, readers of claims and the trader."""
    everybody = [each for name in PRESETS for each in preset_of(name).everybody]
    readers = [node for judge in HEARD for node in (reader_nodes.reader_before(judge), reader_nodes.reader_of(judge))]
    precedents = paragraphs_of(similar, language)
    return {
        TABLES: (written_out(TABLE),),
        **{f"{each.key}{again}": _of_analyst(each, language) for each in everybody for again in ("", "_again")},
        **{summary_node(each.key): (memory_system(language),) for each in everybody},
        **{node: (*_of_room(node, language), *paragraphs_of(research, language), *precedents) for node in _RESEARCH},
        **{node: (*_of_room(node, language), *_of_account(language), *precedents) for node in _RISK},
        trader.NODE: (*_of_room(trader.NODE, language), *_of_account(language), *paragraphs_of(trader, language)),
        **{node: paragraphs_of(claim_question, language) for node in readers},
    }


def _asked(language: Language) -> tuple[str, ...]:
    """Return what any of them is asked with: measured facts, evidence, words of others, and what follows an answer that cannot be used."""
    again = (REPAIR[language], REPAIR_BLOCK[language], SHORTER[language], DECLINED[language])
    read = [text for module in (evidence, attached, sheet, heard, correct) for text in paragraphs_of(module, language)]
    return (*again, *read, *shown_paragraphs(language))


def _of_analyst(role: EquityAnalyst, language: Language) -> tuple[str, ...]:
    tools = [(name, TOOLS[name].description, TOOLS[name].parameters()) for name in role.tools]
    system = analyst_system(role.role, role.task[language], 0, language, with_tools=bool(tools))
    looked_up = [json.dumps([tools, role.plan], sort_keys=True), *paragraphs_of(analyst, language), *paragraphs_of(tool_loop, language)]
    read = [text for module in (research, risk) for text in paragraphs_of(module, language)] if role.advises else []
    return (system, NO_MEMORY[language], MISSING_REPORT[language], *looked_up, *read, *_asked(language))


def _of_room(node: str, language: Language) -> tuple[str, ...]:
    index = (False, True) if node in ("bull_researcher", "bear_researcher") else (False,)
    turns = [room_task(node, language, turn_task(n, language, opens=opens), index=each) for each in index for n, opens in _TURNS]
    return (shared_system(language), *turns, MISSING_REPORT[language], *_asked(language))


def _of_account(language: Language) -> tuple[str, ...]:
    return tuple(text for module in (risk, limit_texts, research) for text in paragraphs_of(module, language))
