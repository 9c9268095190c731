"""What the scripted model says for the research agent, in both languages, and the one lie on purpose that can be put before any answer.

In the loop it calls the tool of each listed company that the question names, one a turn; its answer is picked out of the documents it was
given. The same inputs, seed and language always give the same text. At a set rate the numbers it states are false on purpose, each with
its record; with rate 0 it states what its documents say. It says of itself that it is a script.
"""

import json
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from engine.desks.research.answer.extract import pick_sentences
from engine.desks.research.answer.headline import scripted_closing
from engine.desks.research.seats import ROLE
from engine.domain.chaos import ChaosKind
from engine.domain.text.word_files import read_pairs
from engine.grounding.cited.numbers import NumberIndex, numbers_of
from engine.llm.protocol import ModelCall, Planted, PlantedSentence, Script, ToolCall, Voice
from engine.script.dice import Dice
from engine.script.quoting import QuotedSpeech, false_figure
from engine.script.speech import read_words

_FOLDER: Final = Path(__file__).parent
_WORDS: Final = read_words(_FOLDER, "script")
_COMPANIES: Final = {
    word: tuple(key.split(":")) for key, names in read_pairs(_FOLDER, "companies").items() for text in names for word in text.split(", ")
}
"""Word of a question -> (tool, company that it is asked for)."""
_CODE = re.compile(r"(?<!\d)(\d{6})(?:\.(?:SH|SZ))?(?!\d)", re.IGNORECASE)
_ASKED: Final = re.compile(r"^(?:Question: |问题：)(.*)$", re.MULTILINE)
_DOCUMENT = re.compile(r"^\[(\d+)\] [^\n]*\n<said by=\"document \d+\">\n(.*?)\n</said>", re.MULTILINE | re.DOTALL)
_STOPS: Final = ".!?。！？"
_INVENTED: Final = ("73.9", "82.6", "61.7", "94.3", "57.1")


def research_voice(*, lies: float = 0.0, seed: int = 0) -> Voice:
    """Return the voice. lies: share (0-1) of the stated numbers that are false. seed: changes which ones those are."""
    return partial(_speak, lies=lies, seed=seed)


def _speak(call: ModelCall, *, lies: float, seed: int) -> Script:
    documents = _documents_in(call)
    return _answer(call, documents, lies, seed) if documents else _decide(call)


def _documents_in(call: ModelCall) -> list[tuple[int, str]]:
    """Return number and text of the documents in a prompt, none for a call of the loop."""
    return [(int(n), text) for n, text in _DOCUMENT.findall(call.user)]


def _decide(call: ModelCall) -> Script:
    """Call the tool of the next company that the question names."""
    done, words = sum(message.get("role") == "assistant" for message in call.messages), _WORDS[call.language]
    offered = {tool.name for tool in call.tools if call.may_call}
    planned = [(tool, name) for tool, name in companies(call.user) if tool in offered]
    if done >= len(planned):
        return Script(words.text("enough"))
    tool, name = planned[done]
    asked = ToolCall(f"{call.where}-{done}", tool, json.dumps({"query": name}, ensure_ascii=False))
    return Script(words.text("look").format(name=name, tool=tool), tool_calls=(asked,))


def companies(question: str) -> list[tuple[str, str]]:
    """Return (tool, company) for every listed company that a question names, in the order of its words."""
    low, found = question.lower(), dict[tuple[str, ...], int]()
    for word, company in _COMPANIES.items():
        place = re.search(rf"\b{word}\b" if word.isascii() else word, low)
        if place is not None:
            found.setdefault(company, place.start())
    found |= {("akshare_search", code[1]): code.start() for code in _CODE.finditer(question) if code[1][0] in "0368"}
    return [(tool, name) for tool, name in sorted(found, key=lambda each: found[each])]


def _answer(call: ModelCall, documents: Sequence[tuple[int, str]], lies: float, seed: int) -> Script:
    """Say the sentences that fit the question best, each with its document's number."""
    question, words = call.user[: call.user.index(f"[{documents[0][0]}]")], _WORDS[call.language]
    picked = pick_sentences(question, [text for _, text in documents])
    speech = QuotedSpeech(ROLE, "document", lies, Dice(f"{call.context}|{call.where}|{seed}"), text=words.text("answer"))
    if not picked:
        return Script(speech.text + words.text("nothing").format(n=documents[0][0]) + "\n")
    for each in picked:
        n, text = documents[each.n - 1]
        speech.text += {"en": " ", "zh": ""}[call.language]
        speech.say(each.text, n, NumberIndex(text))
        speech.text += f"{'' if each.text[-1:] in _STOPS else '.'} [{n}]"
    asked = _ASKED.search(question)
    closing = scripted_closing(asked[1] if asked else "", speech.text, words.text("block.answer"))
    return Script(speech.text.rstrip() + (closing or "\n"), tuple(speech.plants))


def false_statement(call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
    """Return the first sentence of the documents with a number, cited as it should be, and another number in it: what a model does that
    misremembers a figure. None for a call without documents. kind: `price` and `symbol` move the decimal point, the others state another
    value. Where no document holds a number, one is made up."""
    documents = _documents_in(call)
    for picked in pick_sentences(call.user, [text for _, text in documents], most=20):
        n, held, sentence = documents[picked.n - 1][0], NumberIndex(documents[picked.n - 1][1]), picked.text
        for found in numbers_of(sentence):
            made = false_figure(sentence, found, held, Dice(f"chaos|{sentence}"), tenfold=kind in ("price", "symbol"))
            if made is not None:
                other, stated, _ = made
                text = f"{sentence[: found.start]}{other}{sentence[found.end :]}".rstrip(_STOPS)
                return f"{text} [{n}]. ", Planted(ROLE, f"document_{n}", stated, found.number.value)
    if not documents:
        return None
    n, held = documents[0][0], NumberIndex(documents[0][1])
    value = next((each for each in _INVENTED if not held.holds(numbers_of(f"{each} %")[0].number)), _INVENTED[0])
    return _WORDS[call.language].text("invented").format(value=value, n=n), Planted(ROLE, f"document_{n}", float(value), "not stated")
