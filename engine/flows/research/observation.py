"""What the agent reads of an optional call: who was found, and the first characters of it. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.domain.research.document import Document
from engine.domain.text.language import Language
from engine.domain.text.visible import one_line
from engine.prompts.render import Text

PREVIEW: Final = 200
_FOUND: Text = {
    "en": "✓ Full information on {name} was retrieved\nSource: {source}\nPreview: {preview}",
    "zh": "✓ 成功获取 {name} 的完整信息\n来源: {source}\n预览: {preview}",
}
_NOTHING: Text = {"en": "✗ {tool}: nothing was found for {name}", "zh": "✗ {tool}：没有找到 {name} 的信息"}
_FAILED: Text = {"en": "✗ {tool} gave nothing: {reason}", "zh": "✗ {tool} 未返回结果：{reason}"}
_SOURCES: Final = {"sec_edgar": "SEC EDGAR", "akshare": "AKShare", "openalex": "OpenAlex", "semantic_scholar": "Semantic Scholar"}


def found_text(tool: str, source: str, arguments: Mapping[str, Any], documents: Sequence[Document], language: Language) -> str:
    """Return the observation of a call that was answered: whom it is about, where from, the first 200 characters."""
    asked = _asked(arguments)
    if not documents:
        return _NOTHING[language].format(tool=tool, name=asked)
    first = documents[0]
    said = next((each.abstract or each.text for each in documents if each.abstract or each.text), "") or first.title
    name = str(first.extra.get("company") or first.extra.get("name") or "").strip() or first.title or asked
    preview = one_line(said)[:PREVIEW]
    return _FOUND[language].format(name=one_line(name)[:80], source=_SOURCES.get(source, source), preview=preview)


def failed_text(tool: str, reason: str, language: Language) -> str:
    """Return the observation of a call that was not answered."""
    return _FAILED[language].format(tool=one_line(tool)[:60], reason=one_line(reason)[:PREVIEW])


def _asked(arguments: Mapping[str, Any]) -> str:
    """Return what was asked for: the first text among the arguments."""
    return next((one_line(value)[:80] for value in arguments.values() if isinstance(value, str) and value.strip()), "?")
