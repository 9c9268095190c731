"""Why a decision was not formed, in words: the sentences of `errors` and `warnings`, in both languages."""

from collections.abc import Mapping

from engine.domain.text.language import Language
from engine.prompts.render import Text

_REASONS: Mapping[str, Text] = {
    "abstained": {"en": "{role} abstained: {reason}", "zh": "{role} 弃权：{reason}"},
    "too_few": {
        "en": "only {spoke} of {all} analysts reported, {needed} are needed",
        "zh": "{all} 位分析师中只有 {spoke} 位给出报告，至少需要 {needed} 位",
    },
    "no_answer": {"en": "{role} gave no usable answer: {reason}", "zh": "{role} 没有给出可用的回答：{reason}"},
    "gate_closed": {
        "en": "gate closed: {score} % of the checked numbers were false ({false} of {total}); the executor was not asked",
        "zh": "闸门关闭：核验的数字中有 {score} % 错误（{total} 个中 {false} 个），未询问执行官",
    },
    "limit": {"en": "limit breached: {reason}", "zh": "超出限制：{reason}"},
    "deadline": {
        "en": "the run did not finish within {seconds} s (TRIBUNAL_RUN_DEADLINE_S)",
        "zh": "运行未能在 {seconds} 秒内完成（TRIBUNAL_RUN_DEADLINE_S）",
    },
    "said_earlier": {
        "en": "what analysts and debaters say was said of the market at {at} UTC; what has moved since is marked and is nobody's error",
        "zh": "分析师与辩手的话针对 {at} UTC 的行情；其后变动之处已标出，不算任何人的错误",
    },
    "format": {
        "en": "the model ignored the form of answers in {n} of {of} roles; a larger model, a lower TRIBUNAL_TEMPERATURE or "
        "TRIBUNAL_ROLE_MODELS usually helps",
        "zh": "模型在 {of} 个角色中有 {n} 个未遵守回答格式；换用更大的模型、调低 TRIBUNAL_TEMPERATURE 或设置 TRIBUNAL_ROLE_MODELS 通常有效",
    },
    "broke": {"en": "the decision broke: {reason}", "zh": "决策流程中断：{reason}"},
}


def reason(name: str, language: Language, **values: object) -> str:
    """Return one sentence. Raises KeyError for a name that does not exist or a word that is missing."""
    return _REASONS[name][language].format(**values)
