"""The debaters' prompts: bull, bear and judge of both paths, in both languages.

What every one of them reads alike is first (`debater_system`, and the facts in `briefing.py`), the role and its closing block last:
endpoints keep a beginning that they have seen, and a small model keeps to what it read last.
"""

from collections.abc import Mapping
from pathlib import Path

from engine.desks.decision import paths
from engine.domain.text.language import Language
from engine.domain.text.word_files import read_paragraphs
from engine.prompts.paragraphs import CLOSING, EVIDENCE, FORMS, REJECTION, turn_task
from engine.prompts.render import render

_TEXTS = read_paragraphs(Path(__file__).parent, "debaters")
_VOTES: Mapping[str, str] = {
    "bull": "confidence: 0-100",
    "bear": "confidence: 0-100",
    "judge": "verdict: BULL|BEAR|NEUTRAL\ndirection: LONG|SHORT|NEUTRAL\nconfidence: 0-100",
    "position_judge": (
        "verdict: HOLD|EXIT|SCALE_IN|PARTIAL_EXIT\nconfidence: 0-100\nadjustment_pct: percent, only for SCALE_IN and PARTIAL_EXIT"
    ),
}


def debater_system(path: paths.Path, language: Language) -> str:
    """Return the system message of all of them."""
    rejection = render(REJECTION[language], who=_TEXTS["who"][path.name][language])
    return f"{EVIDENCE[language]}\n\n{FORMS[language]} {rejection}"


def debater_task(path: paths.Path, side: str, language: Language, *, held: str = "", round_number: int = 1, opens: bool = False) -> str:
    """Return what `bull`, `bear` or `judge` is asked on a path, its closing block last. held: which side the open position has. opens:
    no one it could answer has spoken."""
    role = path.node(side)
    tasks = _TEXTS["task"]
    task: str = (tasks.get(f"{role}_on_spot", tasks[role]) if path.paid_in_full else tasks[role])[language]
    turn = "" if side == "judge" else turn_task(round_number, language, opens=opens)
    closing = render(CLOSING[language], length=_TEXTS["length"][side][language], block=_VOTES.get(role, _VOTES[side]))
    asked = render(task, held=held) if "{held}" in task else task
    return "\n\n".join(filter(None, (f"Role: {side}\n{asked}", turn, closing)))
