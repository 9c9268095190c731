"""What a run has to say about itself, in words: the sentences of `errors`, `warnings` and `failed_sources`, in both languages."""

from collections.abc import Mapping

from engine.domain.text.language import Language
from engine.prompts.render import Text

_REASONS: Mapping[str, Text] = {
    "nothing_found": {"en": "no source, library or journal gave anything", "zh": "没有任何来源、资料库或日志给出内容"},
    "nothing_near": {
        "en": "none of the {found} documents is near enough to the question",
        "zh": "找到的 {found} 篇文档中没有一篇与问题足够相关",
    },
    "no_answer": {
        "en": "the model gave no usable answer, this one is picked from the documents: {reason}",
        "zh": "模型没有给出可用的回答，以下内容摘自文档：{reason}",
    },
    "no_decision": {
        "en": "the agent gave no usable thought, it searched without: {reason}",
        "zh": "代理没有给出可用的思考，已直接进入搜索：{reason}",
    },
    "breaker": {
        "en": "the breaker ended the optional calls after {calls}",
        "zh": "可选工具调用在 {calls} 次后被熔断",
    },
    "dated_later": {
        "en": "left out, dated after {at}: {count}",
        "zh": "{count} 篇文档的日期晚于 {at}，已排除",
    },
    "undated": {
        "en": "without a date, so whether it was known at {at} cannot be told: {count}",
        "zh": "{count} 篇文档没有日期，无法判断在 {at} 时是否已知",
    },
    "unsupported": {
        "en": "{count} of {all} sentences are not supported by the sources they cite",
        "zh": "{all} 句中有 {count} 句没有得到所引来源的支持",
    },
    "instructions": {
        "en": "text that reads like an instruction stands in document {numbers}; it was treated as a quotation",
        "zh": "文档 {numbers} 中有类似指令的文字，已仅作引文处理",
    },
    "not_reranked": {"en": "the documents are in the order of their sources: {reason}", "zh": "文档按来源顺序排列：{reason}"},
    "no_such_source": {"en": "there is no such source here; there are {known}", "zh": "这里没有该来源；现有 {known}"},
    "no_documents": {"en": "the answer holds no documents", "zh": "返回内容中没有文档"},
    "no_file": {"en": "the download gave no file", "zh": "下载没有得到文件"},
    "fetched_elsewhere": {
        "en": "fetched from another source that has it too, after its own gave no file: document {numbers}",
        "zh": "文档 {numbers} 的来源未提供文件，已从同样收录它的其他来源下载",
    },
    "tool_text": {
        "en": "A tool of {source}. Its own description reads like an instruction and is withheld.",
        "zh": "{source} 的工具。其自带说明类似指令，未予转述。",
    },
    "no_download_tool": {"en": "{source} has no download tool", "zh": "{source} 没有下载工具"},
    "deadline": {
        "en": "the run did not finish within {seconds} s (TRIBUNAL_RUN_DEADLINE_S)",
        "zh": "运行未能在 {seconds} 秒内完成（TRIBUNAL_RUN_DEADLINE_S）",
    },
    "broke": {"en": "the run broke: {reason}", "zh": "流程中断：{reason}"},
    "unfinished": {"en": "the run did not come to its end", "zh": "流程没有走到终点"},
}


def reason(name: str, language: Language, **values: object) -> str:
    """Return one sentence. Raises KeyError for a name that does not exist or a word that is missing."""
    return _REASONS[name][language].format(**values)
