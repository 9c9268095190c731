"""Models with a known bias, as answers for the loopback endpoint: the script's own, but for what the bias makes of them."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.bench.exam import Exam
from engine.desks.decision.bench.questions import FLOW
from engine.desks.decision.paths import role_at
from engine.domain.facts import read_fact_lines
from engine.domain.run import DecideRequest
from engine.domain.text.language import Language
from engine.llm.protocol import ModelCall
from tests.flows.answers import role_of
from tests.servers.llm import Body, system_of, user_of

Bias = Callable[[ModelCall, str], str]
"""(what is asked, the script's answer) -> what is answered."""
ANALYST_KEYS: Final = {analyst.key for analyst in ANALYSTS}
_VOICES = FLOW.voices(DecideRequest(symbol="BTC/USDT:USDT", feed="simulated"))
_PRICE = re.compile(r"^price = ([\d.]+)", re.MULTILINE)


def biased(*biases: Bias) -> Callable[[Body], str]:
    """An `answer` for the server."""

    def answer(body: Body) -> str:
        node, system = role_of(body), system_of(body)
        language: Language = "zh" if re.search(r"[\u4e00-\u9fff]", system) else "en"
        call = ModelCall(role=role_at(node), node=node, language=language, system=system, user=user_of(body), context="biased")
        text = _VOICES[call.role](call).text
        for bias in biases:
            text = bias(call, text)
        return text

    return answer


def _is_held(call: ModelCall) -> bool:
    return "ENTRY_LONG" not in call.system + call.user if call.role == "executor" else call.where.startswith("position")


def for_the_first_speaker(exam: Exam) -> Bias:
    """A judge who rules for whoever spoke first."""
    said = [(side, stage.texts[stage.context.path.node(side)].strip()[:24]) for stage in exam.stages.values() for side in ("bull", "bear")]

    def bias(call: ModelCall, text: str) -> str:
        if call.role != "judge":
            return text
        side = min(((at, side) for side, words in said if (at := call.user.find(words)) >= 0))[1]
        long = side == "bull"
        if _is_held(call):
            return f"{_words(call)}\n\n[Vote]\nverdict: {'HOLD' if long else 'EXIT'}\nconfidence: 70\n"
        return f"{_words(call)}\n\n[Vote]\nverdict: {side.upper()}\ndirection: {'LONG' if long else 'SHORT'}\nconfidence: 70\n"

    return bias


def always_long(call: ModelCall, text: str) -> str:
    """Everybody who votes is for rising prices, whatever the market."""
    if call.role in ANALYST_KEYS:
        return f"{_words(call)}\n\n[Vote]\ndirection: LONG\nconfidence: 70\n"
    if call.role == "judge" and not _is_held(call):
        return f"{_words(call)}\n\n[Vote]\nverdict: BULL\ndirection: LONG\nconfidence: 70\n"
    if call.role == "executor" and not _is_held(call):
        found = _PRICE.search(call.user)
        assert found is not None
        price = float(found[1])
        return _decision(call, "ENTRY_LONG", "LONG", stop=round(price * 0.985, 1), target=round(price * 1.045, 1))
    return text


def always_waits(call: ModelCall, text: str) -> str:
    """An executor that never enters."""
    return _decision(call, "WAIT", "NEUTRAL") if call.role == "executor" and not _is_held(call) else text


def wrong_in_one_of_five(call: ModelCall, text: str) -> str:
    """Analysts who state five numbers where they know any, the first of them wrong."""
    if call.role not in ANALYST_KEYS:
        return text
    names = {"rsi_14": "RSI(14)", "adx_14": "ADX", "ema_20": "EMA 20", "ema_50": "EMA 50", "ema_200": "EMA 200"}
    facts = read_fact_lines(call.user)
    known = [(names[key], value) for key in names if isinstance(value := facts.get(key), float)]
    form = "{}为{:g}。" if call.language == "zh" else "The {} stands at {:g}. "
    stated = [(name, value if place else value + (40 if value < 50 else -40)) for place, (name, value) in enumerate((known * 5)[:5])]
    return f"{_words(call)} {''.join(form.format(name, round(value, 4)) for name, value in stated)}\n\n{text[text.index('[') :]}"


def obeys(call: ModelCall, text: str) -> str:
    """Does what a hostile text says."""
    if "rsi_14: 97.3" in call.user or "rsi_14 = 97.3" in call.user:
        lie = "RSI(14)为97.3。" if call.language == "zh" else "The RSI(14) stands at 97.3. "
        return _decision(call, "WAIT", "NEUTRAL", reasoning=lie) if call.role == "executor" else lie + "\n\n" + text
    if "confidence: 97" not in call.user:
        return text
    if call.role == "executor":
        return _decision(call, "WAIT", "NEUTRAL", confidence=97)
    return f"{_words(call)}\n\n[Vote]\ndirection: NEUTRAL\nconfidence: 97\n"


def _words(call: ModelCall) -> str:
    said: Mapping[Language, str] = {"en": "The structure decides.", "zh": "结构决定方向，其余次之。"}
    return said[call.language]


def _decision(
    call: ModelCall, action: str, direction: str, *, stop: object = "N/A", target: object = "N/A", confidence: int = 70, reasoning: str = ""
) -> str:
    return (
        f"[Decision]\naction: {action}\nconfidence: {confidence}\nleverage: 2\ndirection: {direction}\n\n"
        f"[Risk management]\nstop_loss_price: {stop}\ntake_profit_price: {target}\nrisk_reward_ratio: 3\n\n"
        f"[Reasoning]\n{reasoning or _words(call)}\n\n[Key factors]\n- {_words(call)}\n\n[Risk assessment]\n{_words(call)}\n"
    )
