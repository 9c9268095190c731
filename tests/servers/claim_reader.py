"""A loopback claim reader: finds the questions in its prompt, and answers them as a test tells it to."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.servers.llm import Body, user_of

_ITEM = re.compile(
    r"\[(?P<id>[0-9a-f]{8})\]\n<said by=\"(?P<who>\w+)\">\n(?P<said>.*?)\n</said>\n(?P=id)\s?[:：](?P<question>[^\n]+)", re.DOTALL
)
_STATED = re.compile(r"«(?:[^«»]* is [\d.e+]+ now\.|[^«»]*现在为 [\d.e+]+。)»")
_NOT_STATED = re.compile(r"only «if [^«»]* were |只有将来某天«")


@dataclass(frozen=True)
class Asked:
    """One question of the prompt. words: those in question, as they stand between the marks."""

    id: str
    who: str
    said: str
    question: str

    @property
    def words(self) -> str:
        return self.said.partition("«")[2].partition("»")[0]

    @property
    def control(self) -> str:
        """The right answer of a control question; "" for a strike."""
        return "yes" if _STATED.fullmatch(self.said) else "no" if _NOT_STATED.search(self.said) else ""


def asked_of(body: Body) -> list[Asked]:
    return [Asked(**match.groupdict()) for match in _ITEM.finditer(user_of(body))]


def strikes_of(body: Body) -> list[Asked]:
    """The questions about what somebody said."""
    return [each for each in asked_of(body) if not each.control]


def reads(word: Callable[[Asked], str | None] | str) -> Callable[[Body], str]:
    """A reader that knows a control when it sees one. word: of every strike; None leaves it out."""

    def answer(body: Body) -> str:
        words = {each.id: each.control or (word if isinstance(word, str) else word(each)) for each in asked_of(body)}
        return json.dumps({name: said for name, said in words.items() if said is not None})

    return answer


def says(word: str) -> Callable[[Body], str]:
    """A reader that says one word to everything it is asked."""
    return lambda body: json.dumps({each.id: word for each in asked_of(body)})
