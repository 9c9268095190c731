"""What the scripted model says for the research agent, in both languages.

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

from engine.agents.script.quoted_speech import QuotedSpeech
from engine.agents.script.words import Words
from engine.desks.research.answer.extract import pick_sentences
from engine.desks.research.answer.headline import scripted_closing
from engine.desks.research.seats import ROLE
from engine.domain.text.language import LANGUAGES
from engine.domain.text.word_files import read_texts
from engine.grounding.cited.numbers import NumberIndex
from engine.llm.dice import Dice
from engine.llm.protocol import ModelCall, Script, ToolCall, Voice

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
_ASKED: Final = re.compile(r"^(?:Question: |问题：)(.*)$", re.MULTILINE)
_DOCUMENT = re.compile(r"^\[(\d+)\] [^\n]*\n<said by=\"document \d+\">\n(.*?)\n</said>", re.MULTILINE | re.DOTALL)

_WORDS: Final = {language: Words(read_texts(Path(__file__).parent, language, "script")) for language in LANGUAGES}


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
        return Script(_WORDS[call.language].text("enough"))
    tool, name = planned[done]
    asked = json.dumps({"query": name}, ensure_ascii=False)
    return Script(
        _WORDS[call.language].text("look").format(name=name, tool=tool), tool_calls=(ToolCall(f"{call.where}-{done}", tool, asked),)
    )


def companies(question: str) -> list[tuple[str, str]]:
    """Return (tool, company) for every listed company that a question names, in the order of its words."""
    low = question.lower()
    found = {(tool, name): low.find(word) for tool, names in _TOOLS.items() for word, name in reversed(names.items()) if _stands(word, low)}
    found |= {("akshare_search", code[1]): code.start() for code in _CODE.finditer(question) if code[1][0] in "0368"}
    return sorted(found, key=lambda each: found[each])


def _stands(word: str, text: str) -> bool:
    return re.search(rf"\b{word}\b", text) is not None if word.isascii() else word in text


def _answer(call: ModelCall, documents: Sequence[tuple[int, str]], lies: float, seed: int) -> Script:
    """Say the sentences that fit the question best, each with its document's number."""
    question = call.user[: call.user.index(f"[{documents[0][0]}]")]
    texts = dict(documents)
    picked = pick_sentences(question, list(texts.values()))
    numbers = list(texts)
    speech = QuotedSpeech(ROLE, "document", lies, Dice(f"{call.context}|{call.where}|{seed}"))
    speech.text = _WORDS[call.language].text("answer")
    if not picked:
        speech.text += _WORDS[call.language].text("nothing").format(n=numbers[0])
    for each in picked:
        speech.text += {"en": " ", "zh": ""}[call.language]
        n = numbers[each.n - 1]
        speech.quote(each.text, n, NumberIndex(texts[n]))
    asked = _ASKED.search(question)
    closing = scripted_closing(asked[1] if asked else "", speech.text, _WORDS[call.language].text("block.answer")) if picked else ""
    return Script(speech.text.rstrip() + (closing or "\n"), tuple(speech.plants))
