"""What the scripted model says for the research agent, in both languages.

In the loop it calls the tool of each listed company that the question names, one a turn; its answer is picked out of the documents it was
given. The same inputs, seed and language always give the same text. At a set rate the numbers it states are false on purpose, each with
its record; with rate 0 it states what its documents say. It says of itself that it is a script.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from engine.flows.research.answer.extract import pick_sentences
from engine.flows.research.seats import ROLE
from engine.grounding.cited.numbers import FoundNumber, NumberIndex, numbers_of
from engine.llm.dice import Dice
from engine.llm.protocol import ModelCall, Planted, Script, ToolCall, Voice
from engine.prompts.render import Text

_US: Final = {
    "tesla": "Tesla", "特斯拉": "Tesla", "apple": "Apple", "苹果公司": "Apple", "microsoft": "Microsoft", "微软": "Microsoft",
    "nvidia": "Nvidia", "英伟达": "Nvidia", "amazon": "Amazon", "亚马逊": "Amazon", "alphabet": "Alphabet", "google": "Alphabet",
    "coinbase": "Coinbase", "microstrategy": "MicroStrategy", "netflix": "Netflix", "intel": "Intel", "ibm": "IBM",
}  # fmt: skip
_CHINA: Final = {
    "byd": "比亚迪", "比亚迪": "比亚迪", "贵州茅台": "贵州茅台", "茅台": "贵州茅台", "moutai": "贵州茅台", "宁德时代": "宁德时代",
    "catl": "宁德时代", "中国平安": "中国平安", "招商银行": "招商银行", "工商银行": "工商银行",
}  # fmt: skip
_CODE = re.compile(r"(?<!\d)(\d{6})(?:\.(?:SH|SZ))?(?!\d)", re.IGNORECASE)
_TOOLS: Final = {"sec_edgar_search": _US, "akshare_search": _CHINA}
_DOCUMENT = re.compile(r"^\[(\d+)\] [^\n]*\n<said by=\"document \d+\">\n(.*?)\n</said>", re.MULTILINE | re.DOTALL)

_WORDS: Final[dict[str, Text]] = {
    "look": {
        "en": "(script) Thought: {name} is a listed company. Action: {tool}.",
        "zh": "（脚本）思考：{name} 是上市公司。行动：{tool}。",
    },
    "enough": {
        "en": "(script) Thought: nothing else has to be looked up. Action: the general sources can be searched.",
        "zh": "（脚本）思考：信息已足够，可以继续。行动：搜索一般来源。",
    },
    "answer": {"en": "(script) Picked [{n}].", "zh": "（脚本）摘录 [{n}]。"},
    "stop": {"en": " ", "zh": ""},
}


def research_voice(*, lies: float = 0.0, seed: int = 0) -> Voice:
    """Return the voice. lies: share (0-1) of the stated numbers that are false. seed: changes which ones those are."""
    return partial(_speak, lies=lies, seed=seed)


def _speak(call: ModelCall, *, lies: float, seed: int) -> Script:
    documents = documents_in(call)
    return _answer(call, documents, lies, seed) if documents else _decide(call)


def documents_in(call: ModelCall) -> list[tuple[int, str]]:
    """Return number and text of the documents in a prompt, none for a call of the loop."""
    return [(int(n), text) for n, text in _DOCUMENT.findall(call.user)]


def _decide(call: ModelCall) -> Script:
    """Call the tool of the next company that the question names."""
    done = sum(message.get("role") == "assistant" for message in call.messages)
    offered = {tool.name for tool in call.tools if call.may_call}
    planned = [(tool, name) for tool, name in companies(call.user) if tool in offered]
    if done >= len(planned):
        return Script(_WORDS["enough"][call.language])
    tool, name = planned[done]
    asked = json.dumps({"query": name}, ensure_ascii=False)
    return Script(_WORDS["look"][call.language].format(name=name, tool=tool), tool_calls=(ToolCall(f"{call.where}-{done}", tool, asked),))


def companies(question: str) -> list[tuple[str, str]]:
    """Return (tool, company) for every listed company that a question names, in the order of its words."""
    low = question.lower()
    found = {(tool, name): low.find(word) for tool, names in _TOOLS.items() for word, name in reversed(names.items()) if _stands(word, low)}
    found |= {("akshare_search", code[1]): code.start() for code in _CODE.finditer(question) if code[1][0] in "0368"}
    return sorted(found, key=lambda each: found[each])


def _stands(word: str, text: str) -> bool:
    return re.search(rf"\b{word}\b", text) is not None if word.isascii() else word in text


@dataclass
class _QuotedSpeech:
    """text: so far. plants: the false values in it. stated: numbers so far."""

    lies: float
    dice: Dice
    text: str = ""
    plants: list[tuple[int, Planted]] = field(default_factory=list)
    stated: int = 0

    def quote(self, sentence: str, n: int, held: NumberIndex) -> None:
        """Append a sentence of a document, perhaps with other numbers."""
        at = 0
        for found in numbers_of(sentence):
            self.text += sentence[at : found.start]
            self.text += self._number(sentence, found, n, held)
            at = found.end
        end = "" if sentence[-1:] in ".!?。！？" else "."
        self.text += f"{sentence[at:]}{end} [{n}]"

    def _number(self, sentence: str, found: FoundNumber, n: int, held: NumberIndex) -> str:
        written, start = sentence[found.start : found.end], self.dice.roll("start")
        falls = math.floor((self.stated + 1) * self.lies + start) > math.floor(self.stated * self.lies + start)
        self.stated += 1
        digits = re.search(r"\d[\d,]*(?:\.\d+)?", written)
        if not falls or digits is None:
            return written
        false = false_digits(digits[0], written, held, self.dice)
        if false is None:
            return written
        other = written[: digits.start()] + false + written[digits.end() :]
        stated = numbers_of(other)[0].number.value
        place = len(self.text) + digits.start()
        self.plants.append((place, Planted(ROLE, f"document_{n}", stated, found.number.value)))
        return other


def false_digits(digits: str, written: str, held: NumberIndex, dice: Dice) -> str | None:
    """Return digits in place of others: by far another value, and none that the document holds anywhere."""
    plain = digits.replace(",", "")
    decimals = len(plain.partition(".")[2])
    for step in range(12):
        value = float(plain) * (1.3 + 0.23 * step + 0.1 * dice.roll("lie", digits)) + 3 * 10.0**-decimals
        other = f"{value:,.{decimals}f}" if "," in digits else f"{value:.{decimals}f}"
        read = numbers_of(written.replace(digits, other, 1))
        if len(read) == 1 and not held.holds(read[0].number):
            return other
    return None


def _answer(call: ModelCall, documents: Sequence[tuple[int, str]], lies: float, seed: int) -> Script:
    """Say the sentences that fit the question best, each with its document's number."""
    question = call.user[: call.user.index(f"[{documents[0][0]}]")]
    texts = dict(documents)
    picked = pick_sentences(question, list(texts.values()))
    numbers = list(texts)
    speech = _QuotedSpeech(lies, Dice(f"{call.context}|{call.where}|{seed}"))
    first = numbers[picked[0].n - 1] if picked else numbers[0]
    speech.text = _WORDS["answer"][call.language].format(n=first)
    for each in picked:
        speech.text += _WORDS["stop"][call.language]
        n = numbers[each.n - 1]
        speech.quote(each.text, n, NumberIndex(texts[n]))
    return Script(speech.text.strip() + "\n", tuple(speech.plants))
