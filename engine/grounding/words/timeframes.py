"""Words of time: units and names of timeframes, nouns that are counted."""

FRAME_UNITS = {
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes", "分", "分钟"), "m"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时", "时"), "h"),
    **dict.fromkeys(("d", "day", "日", "天"), "d"),
    **dict.fromkeys(("w", "week", "周"), "w"),
}
FRAME_WORDS = {"daily": "1d", "hourly": "1h", "weekly": "1w", "htf": "htf"}
FRAME_NOUNS = frozenset(
    ["chart", "charts", "timeframe", "frame", "view", "picture", "screen", "backdrop", "级别", "周期", "图表", "图上", "图", "k线"]
)
SPELT = {"one": 1, "four": 4, "fifteen": 15, "five": 5, "thirty": 30, "two": 2}
MINUTES = frozenset({1, 2, 3, 5, 10, 15, 30, 45, 60, 90})
COUNT_NOUNS = {
    **dict.fromkeys(("period", "periods", "期", "周期"), "period"),
    **dict.fromkeys(("bar", "bars", "candle", "candles", "candlestick", "candlesticks", "根", "k"), "bar"),
    **dict.fromkeys(("day", "days", "日", "天", "session", "sessions"), "day"),
    **dict.fromkeys(("hour",), "hour"),
    **dict.fromkeys(("hours", "minutes", "weeks", "months", "years", "year", "month", "seconds", "quarters"), "time"),
    **dict.fromkeys(
        (
            "次",
            "年",
            "月",
            "号",
            "个",
            "轮",
            "条",
            "项",
            "点钟",
            "trades",
            "reasons",
            "agents",
            "analysts",
            "signals",
            "st",
            "nd",
            "rd",
            "th",
        ),
        "other",
    ),
}
METATRADER = frozenset({"1", "4", "5", "15", "30"})
MONTHS = frozenset(
    [
        "jan",
        "january",
        "feb",
        "february",
        "mar",
        "march",
        "apr",
        "april",
        "may",
        "jun",
        "june",
        "jul",
        "july",
        "aug",
        "august",
        "sep",
        "sept",
        "september",
        "oct",
        "october",
        "nov",
        "november",
        "dec",
        "december",
    ]
)
