"""Sentences that the engine writes down in English, in the words of a page: what became of a proposal, and why something was refused.

The record keeps what was written. A sentence that is not known here is shown as it is.
"""

import re

from engine.domain.text.language import Language

SENTENCES: tuple[tuple[str, str, str], ...] = (  # what is written, in Chinese, in English where a page says it otherwise
    (r"nobody answered in time", "无人及时答复", ""),
    (r"(\S+) came after it", "已被更新的提案取代：{0}", "a newer proposal took its place: {0}"),
    (r"nothing was ordered: trading was halted", "没有下单：交易已暂停", ""),
    (r"(\S+) at (\S+), fee (\S+)", "以 {1} 成交 {0}，手续费 {2}", ""),
    (r"the session of (\S+) did not trade through (\S+): it was good for the day", "{0} 的交易未穿过 {1}：委托仅当日有效", ""),
    (r"the market had nothing to offer at (\S+) or better when it arrived", "到达市场时没有 {0} 或更优的报价", ""),
    (r"(\S+) shares are no order of (\S+): whole lots of (\S+), (\S+) at least", "{1} 不能委托 {0} 股：每手 {2} 股，至少 {3} 股", ""),
    (r"(\S+) shares of (\S+) cannot be sold: (\S+) may be in this session", "{1} 不能卖出 {0} 股：本交易日可卖 {2} 股", ""),
    (r"the lot of (\S+) is not known: companies in Hong Kong choose their own", "不知道 {0} 的每手股数：香港公司自定", ""),
    (r"it was decided with (\S+) shares held, and now it is (\S+)", "决策时持有 {0} 股，现为 {1} 股", ""),
    (r"no shares of (\S+) may be sold in the session of (\S+): they were bought in it", "{0} 在 {1} 买入，当日不可卖出", ""),
    (r"the shares were sold", "股份已卖出", ""),
    (r"trading was halted", "交易已暂停", ""),
    (
        r"trading is halted: proposal (\S+) cannot be approved; `unhalt` allows it again",
        "交易已暂停：在恢复之前不能批准提案 {0}",
        "trading is halted: proposal {0} cannot be approved until it is allowed again",
    ),
    (r"(.+) has signed proposal (\S+) already: a second person has to", "{0} 已签署提案 {1}：需另一人签署", ""),
    (
        r"proposal (\S+) was changed by (.+) since you read it: read it again before you sign",
        "提案 {0} 在你阅读之后被 {1} 修改：请重新阅读后再签",
        "",
    ),
    (r"no position in (\S+) is open", "{0} 没有持仓", ""),
    (r"proposal (\S+) is not known: `proposals` lists them", "没有提案 {0}", "proposal {0} is not known"),
    (r"a recorded market needs its folder: .+", "录制行情需要文件夹：请在上方填写", "a recorded market needs its folder: type it above"),
    (r"time '(.*)' cannot be read: write ISO 8601, for example (\S+)", "无法识别时间“{0}”：请按 ISO 8601 填写，例如 {1}", ""),
    (r"an index or fund files no reports", "指数与基金没有财报", ""),
    (r"an index or fund has no sector", "指数与基金没有行业", ""),
    (r"a company has no constituents", "公司没有成分股", ""),
    (r"the live source does not read constituents", "实时数据源不读取成分股", ""),
    (r"the live source does not read macro figures", "实时数据源不读取宏观数据", ""),
    (r"the recordings hold no macro figures", "录制中没有宏观数据", ""),
    (r"the recordings do not say its sector", "录制中没有其行业", ""),
    (r"nothing was filed by then", "截至当时没有财报", ""),
    (r"nothing was published in the 30 days before", "此前30天没有新闻", ""),
    (r"no closes of constituents by then", "截至当时没有成分股收盘价", ""),
    (r"no figure was published by then", "截至当时没有公布数据", ""),
    (r"its sector is not known", "不知道其行业", ""),
    (r"(\S+) has no session at (\S+): the sessions beside it are (\S+) and (\S+)", "{0} 不是 {1} 的交易日：前后的交易日为 {2} 与 {3}", ""),
)
_KNOWN = [(re.compile(written), texts) for written, *texts in SENTENCES]


def engine_text(text: str, language: Language) -> str:
    """Return one sentence of the engine in a language, its numbers as they were written."""
    for written, (chinese, english) in _KNOWN:
        if found := written.fullmatch(text):
            said = chinese if language == "zh" else english
            return said.format(*found.groups()) if said else text
    return text
