"""The words of the frame: keys and what they do; and what holds the room of things to come."""

from collections.abc import Mapping

FRAME_WORDS: Mapping[str, tuple[str, str]] = {
    "keys": ("Keys", "快捷键"),
    "key_r": ("run a decision", "发起决策"),
    "key_e": ("edit the plan that waits", "修改待签计划"),
    "key_a": ("approve it; asks first", "批准，会先确认"),
    "key_x": ("reject it", "否决"),
    "key_j": ("next in the queue", "队列中下一个"),
    "key_k": ("previous in the queue", "队列中上一个"),
    "key_help": ("this list", "显示本列表"),
    "key_ask": ("Approve this?", "确认批准？"),
    "key_yes": ("Approve", "批准"),
    "key_no": ("Not now", "暂不"),
    "key_close": ("Close", "关闭"),
    # what holds the room of things to come
    "look_back_later": ("Look back, event by event: when the run has ended.", "回看逐个事件：运行结束后可用。"),
    "later_later": ("How the market went on: when the run has ended and nothing waits.", "其后行情：运行结束且无待签后可看。"),
    "chart_zoom_in": ("zoom in", "放大"),
    "chart_zoom_out": ("zoom out", "缩小"),
    "chart_earlier": ("earlier", "更早"),
    "chart_later_bars": ("later", "更晚"),
    "chart_wheel": ("Ctrl and the wheel", "Ctrl 加滚轮"),
    "chart_later": ("The market is being read.", "正在读取行情。"),
    "chart_failed": ("The market could not be read.", "行情无法读取。"),
}
