"""Whether an answer declines its task: words of refusal at its beginning, and nothing of the task behind them. Pure.

"I'm sorry, but I can't provide financial advice" is no view, even above a dutiful block. An answer that says so and goes on to weigh what
was measured has numbers or keys in its prose: it is an answer.
"""

import re
from typing import Final

from engine.llm.blocks import plain

_OPENING: Final = 400
"""Characters within which a refusal begins."""
_NO: Final = (
    r"(?:can't|can ?not|could ?n[o']t|won't|will not|(?:am|'m|are|'re) (?:unable|not able|not allowed|not permitted|not qualified) to"
    r"|(?:am|'m|are|'re) not in a position to)"
)
_REFUSES: Final = re.compile(
    rf"\b(?:sorry|apologi[sz]e)\b.{{0,20}}?\b(?:i|we) ?{_NO}"
    rf"|\b(?:i|we) ?{_NO}(?: \w+){{0,2}} (?:provide|give|offer|make|share|issue)(?: [\w-]+){{0,6}}"
    r" (?:advice|recommendations?|guidance|opinions?|predictions?|forecasts?|suggestions?)\b"
    rf"|\b(?:i|we) ?{_NO}(?: \w+){{0,2}} (?:(?:assist|help)(?: you)? with|comply|fulfil\w*|participate|engage"
    r"|(?:complete|continue|answer|discuss|respond to)(?: with)? (?:this|that|your))\b"
    r"|\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b.{0,80}?\b(?:can't|can ?not|unable|not able|don't|do not|won't)\b"
    r"|\bi (?:must|have to) (?:respectfully )?(?:decline|refuse)\b"
    r"|(?:抱歉|对不起|很遗憾|不好意思).{0,20}?(?:无法|不能|不可以|不便|没有办法|没办法|拒绝)"
    r"|(?:我|本模型|本助手)(?:目前|暂时)?(?:无法|不能|不可以|不便|没有办法|没办法|拒绝)(?:为您|为你|向您|向你|就此)?.{0,6}?(?:提供|给出|协助|帮助|回答|完成|参与|讨论|满足)"
    r"|作为(?:一个|一名)?(?:人工智能|AI|语言模型|大语言模型|智能助手).{0,30}?(?:无法|不能|不便|不会|拒绝)",
    re.IGNORECASE | re.DOTALL,
)
_OF_THE_TASK: Final = re.compile(r"\d|\b[a-z]+_[a-z0-9_]+\b")
_LINE: Final = re.compile(r"^\W*(?:\[[^\[\]]{1,40}\]\s*)?(?:[^\W\d][\w ]{0,29}\s*[:=].{0,24})?$", re.MULTILINE)
"""A line of a block, a heading, or nothing."""


def declines(text: str) -> bool:
    """Return whether an answer refuses to do what it was asked."""
    prose = _LINE.sub("", plain(text).replace("’", "'")).strip()
    return _REFUSES.search(prose[:_OPENING]) is not None and _OF_THE_TASK.search(prose) is None
