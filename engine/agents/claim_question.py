"""What a second reader is asked about strikes, and how its answer is read. Pure.

Given claims that are false by the rules, with the passages they are in, gives one prompt; given an answer, gives a word for every strike
or why it has none. The passages are untrusted: each is wrapped by `quoted`, and the ids in the answer cannot be derived from them. Two
control questions with known answers are mixed in. A model that answers everything with yes, or everything with no, fails one of them, and
all of its answers are discarded.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from engine.domain.claims import Claim, Confirmed
from engine.domain.facts import FactSheet
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.domain.text.word_files import read_paragraphs
from engine.grounding.report.wording import FactWording
from engine.grounding.tables.table import IndicatorTable
from engine.prompts.render import quoted, render

UNREADABLE: Final = Reason("its_answer_cannot_be_read")
UNRELIABLE: Final = Reason("it_answered_control_question_wrongly")
NO_WORD: Final = Reason("it_said_nothing_about_this_one")
_ID_LENGTH: Final = 8
_OWN, _BESIDE, _ABOVE = 360, 160, 160
"""Characters shown of a sentence on either side of where the claim begins, of each of its neighbours, and of what it is under: a
passage has some 1,200 at most."""

_TEXTS: Final[dict[str, Any]] = read_paragraphs(Path(__file__).parent, "claim_question")
_WORDS: Final[Mapping[str, Confirmed]] = {"yes": "yes", "no": "no", "unclear": "unclear"}
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？；])|\n+")
_HEADING = re.compile(r"\s*(?:#{1,6}\s.*|\*\*[^*\n]{1,80}\*\*:?\s*|[^|.!?。！？\n]{1,80}[:：]\**\s*)")
_QUOTES = str.maketrans("«»", "‹›")


class Strike(FrozenModel):
    """A claim that is false by the rules, with the passage that it is in."""

    claim: Claim
    passage: str

    @property
    def id(self) -> str:
        """Its name in the question."""
        return strike_id(self.claim)


def strikes_in(claims: Iterable[Claim], texts: Mapping[str, str]) -> list[Strike]:
    """Return what is struck by the rules. texts: source -> the text in which its claims have their places."""
    return [Strike(claim=claim, passage=passage(texts[claim.source], claim.start, claim.end)) for claim in claims if claim.is_struck]


def strike_id(claim: Claim) -> str:
    """Return the id of a strike: a short form of the claim's own, which the words it is in cannot name."""
    return claim.id[:_ID_LENGTH]


@dataclass(frozen=True)
class StrikeSubject:
    """What the words are about. sheet: its facts, for names and the control questions; table: what its keys mean."""

    sheet: FactSheet
    table: IndicatorTable


@dataclass(frozen=True)
class ReadStrikes:
    """words: id -> yes, no or unclear. reasons: id -> why it has none."""

    words: dict[str, Confirmed] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ClaimQuestion:
    """One question about several strikes, at least one."""

    strikes: tuple[Strike, ...]
    subject: StrikeSubject
    language: Language

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids that are asked about, without the controls."""
        return tuple(each.id for each in self.strikes)

    def system(self) -> str:
        """Return the system message."""
        sheet = self.subject.sheet
        return render(_TEXTS["system"][self.language], symbol=sheet.symbol, timeframe=sheet.timeframe, example=_id("example", *self.ids))

    def user(self) -> str:
        """Return every passage with its question, in the order of the ids: controls have no place of their own."""
        parts = [(each.id, _item(each.id, each.claim.source, each.passage, self._question(each))) for each in self.strikes]
        return "\n\n".join(text for _, text in sorted([*parts, *self._controls()]))

    def read(self, text: str) -> ReadStrikes:
        """Return what an answer says. One that cannot be read is not asked for again: the rules' verdict is kept."""
        yes, no = self._control_ids
        found = _object_about({*self.ids, yes, no}, text)
        if found is None:
            return ReadStrikes(reasons=dict.fromkeys(self.ids, UNREADABLE))
        words = {name: word for name, said in found.items() if isinstance(said, str) and (word := _WORDS.get(said.strip().lower()))}
        if (words.get(yes), words.get(no)) != ("yes", "no"):
            return ReadStrikes(reasons=dict.fromkeys(self.ids, UNRELIABLE))
        silent = [name for name in self.ids if name not in words]
        return ReadStrikes({name: words[name] for name in self.ids if name in words}, dict.fromkeys(silent, NO_WORD))

    @property
    def _control_ids(self) -> tuple[str, str]:
        return _id("stated", *self.ids), _id("not stated", *self.ids)

    def _question(self, strike: Strike) -> str:
        claim = strike.claim
        ends = claim.claimed if isinstance(claim.claimed, tuple) else (claim.claimed,)
        relation = "between" if len(ends) > 1 else "state" if isinstance(ends[0], str) else claim.relation
        value = _TEXTS["and"][self.language].join(_value(end, claim.unit) for end in ends)
        return self._asked(strike.id, claim.source, claim.key, render(_TEXTS["value"][relation][self.language], value=value))

    def _asked(self, name: str, who: str, key: str, value: str) -> str:
        known = {"id": name, "who": who, "key": key, "symbol": self.subject.sheet.symbol, "value": value}
        return render(_TEXTS["asked"][self.language], name=self._name(key), **known)

    def _name(self, key: str) -> str:
        return FactWording(self.subject.sheet, self.language, self.subject.table).name(key)

    def _controls(self) -> Iterator[tuple[str, str]]:
        """Yield a sentence that states the price, and one that does so on a condition only. Code wrote both and knows what they say."""
        price, who = self.subject.sheet.number("close") or 100.0, self.strikes[0].claim.source
        for name, form, value in zip(self._control_ids, ("stated", "not_stated"), (price, price * 1.25), strict=True):
            written = _value(value, "price")
            said = render(_TEXTS[form][self.language], name=self._name("close"), symbol=self.subject.sheet.symbol, value=written)
            question = self._asked(name, who, "close", render(_TEXTS["value"]["="][self.language], value=written))
            yield name, _item(name, who, said, question)


def _item(name: str, who: str, said: str, question: str) -> str:
    return f"[{name}]\n{quoted(who, said)}\n{question}"


def _value(value: float | str, unit: str) -> str:
    return value.replace("_", " ") if isinstance(value, str) else f"{value:.8g}{'%' if unit == 'percent' else ''}"


def _id(*parts: object) -> str:
    return sha256(repr(parts).encode()).hexdigest()[:_ID_LENGTH]


def _object_about(ids: Collection[str], text: str) -> dict[str, Any] | None:
    """Return the JSON object in `text` that has one of the ids as a key. None if there is no such object, more than one, or one with a
    duplicate key."""
    decoder, found, at = json.JSONDecoder(object_pairs_hook=_once), list[dict[str, Any]](), text.find("{")
    while at >= 0:
        end = at + 1
        try:
            value, after = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            pass
        else:
            if not value.keys().isdisjoint(ids):
                found.append(value)
                end = after
        at = text.find("{", end)
    return found[0] if len(found) == 1 else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def passage(text: str, start: int, end: int) -> str:
    """Return the sentence or line of text[start:end] with its neighbours and what it is under (a heading, a label, the head of its
    table), the words in question between « and ». Each part is cut to its own bound."""
    cuts = [0, *(place for match in _SENTENCE.finditer(text) for place in match.span()), len(text)]
    parts = [part for part in zip(cuts[::2], cuts[1::2], strict=True) if text[slice(*part)].strip()]
    own = [index for index, (begin, stop) in enumerate(parts) if begin < end and stop > start]
    first, last = own[0], own[-1]
    begin, stop = max(parts[first][0], start - _OWN), min(parts[last][1], start + _OWN)
    words = min(end, stop)
    sentence = f"{_plain(text[begin:start])}«{_plain(text[start:words])}»{_plain(text[words:stop])}"
    before = text[slice(*parts[first - 1])][-_BESIDE:] if first else ""
    after = text[slice(*parts[last + 1])][:_BESIDE] if last + 1 < len(parts) else ""
    under = _stands_under(text, parts[max(first - 1, 0)][0], parts[first][0])
    return "\n".join(filter(None, (_plain(under), _plain(before), sentence, _plain(after))))


def _stands_under(text: str, shown: int, own: int) -> str:
    """Return what a sentence is under, as far as it is not shown anyway: the nearest heading or label, and the head of its table.
    shown: where what is shown begins; own: where the sentence itself does."""
    above, head = text[:shown].splitlines(), ""
    if text[own:].lstrip().startswith("|"):
        while above and above[-1].lstrip().startswith("|"):
            head = above.pop()
    heading = next((line for line in reversed(above) if _HEADING.fullmatch(line)), "")
    return "\n".join(line.strip()[:_ABOVE] for line in (heading, head) if line)


def _plain(text: str) -> str:
    return text.translate(_QUOTES)
