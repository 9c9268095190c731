"""The analysts: one view on the facts each, one report. Without a usable answer an analyst abstains; it never guesses and never stops the
run.

An analyst is a file `NAME.toml` of this folder with the fields of `Analyst`. It joins the fan-out, the consensus and the desk by being
here.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.agents.access import ModelAccess
from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.attached import with_evidence
from engine.agents.evidence import evidence
from engine.desks.decision.reading.answers import read_analyst
from engine.desks.decision.stakes import view_stakes
from engine.domain.facts import FactSheet
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.opinion import AgentReport
from engine.domain.text.language import Language
from engine.prompts.paragraphs import CLOSING, EVIDENCE, FORMS
from engine.prompts.render import Text, render

VOTE = "direction: LONG|SHORT|NEUTRAL\nconfidence: 0-100\nsupport: price\nresistance: price"
_LENGTH: Text = {"en": "70 to 130 words", "zh": "一百到二百字"}


@dataclass(frozen=True)
class Analyst:
    """One analyst.

    key: its role name, also of its field in the state (`{key}_report`). weight: in the consensus, relative to the others. facts: the
    canonical keys it reads, of every timeframe that has them. task: who it is and what it looks at; task_on_spot: of a spot market, where
    that has less to look at. title: for pages.
    sees_patterns: it is given the candlestick patterns. background: how the market came here (`whole`), or only how funding and open
    interest did (`positioning`). sees_chart: it is given the chart as an image, where vision is on. quotes: what the script quotes of
    attached evidence (`script/quoting.py`).
    """

    key: str
    weight: float
    facts: Sequence[str]
    task: Text
    title: Text
    sees_patterns: bool = False
    background: Literal["whole", "positioning"] | None = None
    sees_chart: bool = False
    task_on_spot: Text | None = None
    order: int = 100
    quotes: Sequence[str] = ()

    def instructions(self, language: Language, *, paid_in_full: bool = False) -> str:
        """Return its task, with the closing block it ends with. paid_in_full: about a spot market."""
        task = self.task_on_spot if paid_in_full and self.task_on_spot is not None else self.task
        return f"Role: {self.key}\n{task[language]}\n\n{render(CLOSING[language], length=_LENGTH[language], block=VOTE)}"

    def question(self, snapshot: Snapshot, sheet: FactSheet, at: str, language: Language, chart: bytes | None) -> Question:
        """Return what this analyst is asked. chart: PNG bytes, when there is one to see."""
        from engine.desks.decision import background  # noqa: PLC0415 - indicators: pages ask for seats only

        keys = background.existing_keys(snapshot, self.facts)
        measured = evidence(sheet, at, language, keys, patterns=self.sees_patterns)
        past = ""
        if self.background == "whole":
            past = background.background_text(snapshot, sheet, language)
        elif self.background == "positioning":
            past = background.positioning_text(snapshot, language)
        if past:
            measured += f"\n\n{past}"
        facts = with_evidence(measured, snapshot.evidence, language)
        shared = (EVIDENCE[language], FORMS[language], view_stakes(Timeframe.parse(sheet.timeframe), language))
        return Question(
            role=self.key,
            system="\n\n".join(shared),
            user=f"{facts}\n\n{self.instructions(language, paid_in_full=snapshot.market.nature.paid_in_full)}",
            images=(chart,) if chart is not None and self.sees_chart else (),
        )


async def report(analyst: Analyst, question: Question, access: ModelAccess) -> tuple[AgentReport, int]:
    """Return the analyst's report and the attempt that counted; an abstention with its reason when there is no usable answer."""
    try:
        spoken = await ask(access, question, read_analyst)
    except NoAnswer as lost:
        silent = AgentReport(
            agent=analyst.key, direction=None, confidence=None, text="", abstained=True, reason=str(lost), usage=lost.usage
        )
        return silent, 0
    return AgentReport(agent=analyst.key, **vars(spoken.read), text=spoken.text, usage=spoken.usage), spoken.attempt


def read_analysts() -> tuple[Analyst, ...]:
    """Return every analyst of this folder, by `order`, then key."""
    found = (Analyst(**tomllib.loads(path.read_text(encoding="utf-8"))) for path in Path(__file__).parent.glob("*.toml"))
    return tuple(sorted(found, key=lambda analyst: (analyst.order, analyst.key)))


ANALYSTS = read_analysts()
