"""What every role of the desk is asked with whatever the market is: the templates behind the versions of its prompts.

A paragraph that is missing here could change without a new version: `tests/engine/prompts/test_versions.py` finds it in what is asked.
"""

from dataclasses import replace
from functools import cache
from typing import Final

from engine.agents import attached, claim_question, evidence, heard, limit_texts, reader_nodes
from engine.desks.decision import analysts, background, briefing, speeches, stakes
from engine.desks.decision.analysts import ANALYSTS, Analyst
from engine.desks.decision.debate import debater_system, debater_task
from engine.desks.decision.executor import brief, prompt
from engine.desks.decision.executor.node import ROLE
from engine.desks.decision.paths import PATHS, Path
from engine.domain.decision import DEBATE_SIDES
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.language import Language
from engine.facts import thesis
from engine.grounding import correct
from engine.grounding.report import summary, wording
from engine.grounding.tables.markets import CRYPTO
from engine.outcomes import similar
from engine.prompts.paragraphs import DECLINED, EVIDENCE, FORMS, REPAIR, REPAIR_BLOCK, SHORTER
from engine.prompts.versions import TABLES, Templates, paragraphs_of, written_out

_ANY: Final = Timeframe.parse("1h")
_TURNS: Final = ((1, True), (1, False), (2, False))
_HEARD_IN_DEBATE: Final = (stakes, briefing, speeches, heard, correct, thesis, similar)
_HEARD_BY_EXECUTOR: Final = (prompt, limit_texts, brief, stakes, briefing, heard, correct, thesis, similar, summary, wording)


@cache
def templates(language: Language) -> Templates:
    """Return node -> its templates, of analysts, the debaters of both paths, the readers of claims and the executor."""
    readers = {
        node: paragraphs_of(claim_question, language)
        for path in PATHS
        for node in (reader_nodes.reader_before(path.node("judge")), reader_nodes.reader_of(path.node("judge")))
    }
    return {
        TABLES: (written_out(CRYPTO),),
        **{each.key: _of_analyst(each, language) for each in ANALYSTS},
        **{path.node(side): _of_debater(path, side, language) for path in PATHS for side in DEBATE_SIDES},
        **readers,
        ROLE: _of_executor(language),
    }


def _asked(language: Language) -> tuple[str, ...]:
    """Return what any of them is asked with: measured facts, evidence, and what follows an answer that cannot be used."""
    again = (REPAIR[language], REPAIR_BLOCK[language], SHORTER[language], DECLINED[language])
    return (*again, *(text for module in (evidence, attached, background) for text in paragraphs_of(module, language)))


def _of_analyst(role: Analyst, language: Language) -> tuple[str, ...]:
    tasks = dict.fromkeys(role.instructions(language, paid_in_full=each) for each in (False, True))
    own = (EVIDENCE[language], FORMS[language], stakes.view_stakes(_ANY, language), " ".join(role.facts), *tasks)
    return (*own, str((role.background, role.sees_patterns, role.sees_chart)), *_asked(language), *paragraphs_of(analysts, language))


def _of_debater(path: Path, side: str, language: Language) -> tuple[str, ...]:
    other = {each.name for each in PATHS} - {path.name}
    kinds = (path, replace(path, paid_in_full=True))
    turns = [debater_task(each, side, language, held="{held}", round_number=n, opens=opens) for each in kinds for n, opens in _TURNS]
    shared = [text for module in _HEARD_IN_DEBATE for text in paragraphs_of(module, language, other)]
    return (debater_system(path, language), *dict.fromkeys(turns), *shared, *_asked(language))


def _of_executor(language: Language) -> tuple[str, ...]:
    own = [text for module in _HEARD_BY_EXECUTOR for text in paragraphs_of(module, language)]
    return (*own, *_asked(language))
