"""The words of the sidebar, in English and Chinese, side by side."""

from collections.abc import Mapping

from engine.domain.text.language import Language

FORM_WORDS: Mapping[str, tuple[str, str]] = {
    "market": ("Market", "市场"),
    "market_help": (
        "As ccxt names it: BTC/USDT:USDT is a perpetual, BTC/USDT is spot.",
        "采用 ccxt 写法：BTC/USDT:USDT 为永续，BTC/USDT 为现货。",
    ),
    "timeframe": ("Timeframe", "周期"),
    "higher": ("Higher", "大周期"),
    "none": ("none", "无"),
    "feed": ("Feed", "行情"),
    "simulated": ("Simulated", "模拟"),
    "recorded": ("Recorded", "录制"),
    "live": ("Live", "实时"),
    "folder": ("Folder of recordings", "录制文件夹"),
    "exchange": ("Exchange", "交易所"),
    "exchange_help": ("A ccxt id, for example binanceusdm, okx, kraken.", "ccxt 的交易所编号，例如 binanceusdm、okx、kraken。"),
    "at": ("Clock", "时刻"),
    "at_help": ("ISO 8601, UTC. Empty: now, or the end of the recording.", "ISO 8601，UTC。留空：现在，或录制的末尾。"),
    "model": ("Model", "模型"),
    "model_help": (
        "scripted needs no key. Any other name is asked at OPENAI_BASE_URL.",
        "scripted 无需密钥；其他名称会向 OPENAI_BASE_URL 提问。",
    ),
    "lies": ("Planted lies, %", "植入谎言，%"),
    "lies_help": (
        "Share of the values the scripted model states falsely on purpose, to see them caught.",
        "脚本模型故意说错的数值比例，用来观察它们如何被识破。",
    ),
    "seed": ("Seed", "种子"),
    "seed_help": ("Of the scripted model and the simulated market.", "脚本模型与模拟行情的种子。"),
    "chaos": ("One lie on purpose", "植入一个谎言"),
    "chaos_help": (
        "One false sentence is put before this role's answer, whatever the model, to see whether it is caught.",
        "在该角色的回答之前加一句假话（任何模型都可），观察它是否被识破。",
    ),
    "liar": ("Who", "由谁说"),
    "lie_kind": ("What", "说什么"),
    "nobody": ("nobody", "无人"),
    "lie_value": ("a shifted value", "数值偏移"),
    "lie_timeframe": ("another timeframe's value", "错用周期"),
    "lie_price": ("the price times ten", "价格放大十倍"),
    "lie_symbol": ("another market's price", "别的品种价格"),
    "lie_state": ("a reading turned round", "状态反转"),
    "holding": ("Open position", "已有持仓"),
    "side": ("Side", "方向"),
    "flat": ("none", "无"),
    "long": ("long", "多"),
    "short": ("short", "空"),
    "entry_price": ("Entry price", "入场价"),
    "size": ("Size", "数量"),
    "leverage": ("Leverage", "杠杆"),
    "opened_at": ("Opened at", "开仓时间"),
    "eq_symbol": ("Symbol", "代码"),
    "eq_symbol_help": (
        "AAPL, 600519.SH, 0700.HK, ^GSPC: one of the source's, or type another.",
        "AAPL、600519.SH、0700.HK、^GSPC：数据源所列，或自行输入。",
    ),
    "eq_trade_date": ("Trade date", "交易日"),
    "eq_trade_date_help": (
        "A session of the exchange. Empty: the newest that the source has.",
        "交易所的一个交易日。留空：数据源最新的一日。",
    ),
    "eq_session": ("Session", "时段"),
    "pre_open": ("Pre-open", "盘前"),
    "post_close": ("Post-close", "盘后"),
    "eq_preset": ("Preset", "预设"),
    "stock": ("Stock · 4", "个股 · 4"),
    "index": ("Index · 5", "指数 · 5"),
    "eq_depth": ("Depth", "深度"),
    "eq_depth_help": ("Rounds of both debates, and what an analyst may spend.", "两场辩论的轮数，以及分析师的调用额度。"),
    "eq_depth_means": (
        "{research} and {risk} debate turns, {tools} tool calls each, {calls} model calls beside those that ask for a tool",
        "研究 {research} 次、风控 {risk} 次发言，各 {tools} 次工具调用，除询问工具外 {calls} 次模型调用",
    ),
    "eq_depth_means_index": (
        "no debate, {tools} tool calls each, {calls} model calls beside those that ask for a tool",
        "无辩论，各 {tools} 次工具调用，除询问工具外 {calls} 次模型调用",
    ),
    "eq_seed_help": ("Of the scripted model and the simulated companies.", "脚本模型与模拟公司的种子。"),
    "language": ("Language", "语言"),
    "up_down": ("Up and down", "涨跌颜色"),
    "auto": ("By language", "随语言"),
    "green-up": ("Green up", "绿涨红跌"),
    "red-up": ("Red up", "红涨绿跌"),
    "blue-up": ("Blue up", "蓝涨橙跌"),
    "run": ("Run a decision", "开始决策"),
    "running": ("Running…", "运行中…"),
    "stop": ("Stop", "停止"),
    "compare_this": ("Compare", "对比"),
    "compare_that": ("with", "与"),
    "all_flows": ("All flows", "全部流程"),
    "more_runs": ("Show {n} more", "再显示 {n} 条"),
    "resume": ("Continue the run", "继续运行"),
    "unknown_run": (
        "There is no run {run} here. It may belong to another installation.",
        "这里没有运行 {run}，它可能属于另一处安装。",
    ),
    "ask_matter": ("Did the corrections matter? Ask once more", "纠正是否改变了结果？再问一次"),
    "ask_matter_help": (
        "The executor is asked again with the debate as it was said: one extra call; the decision stands.",
        "用未经纠正的辩论再问一次执行官：多一次调用，原决策不变。",
    ),
    "chart_table": ("The chart as a table", "图表数据表"),
}


def form_word(key: str, language: Language) -> str:
    """Return one word of the form."""
    return FORM_WORDS[key][1 if language == "zh" else 0]
