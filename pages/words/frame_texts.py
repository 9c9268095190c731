"""The words of the frame: keys and what they do; and what holds the room of things to come."""

from collections.abc import Mapping

FRAME_WORDS: Mapping[str, tuple[str, str]] = {
    "waits_n": ("{n} waiting for a signature", "{n} 项待签署"),
    # titles of the tab, and the runs in the sidebar
    "title_wait_n": ("{n} wait", "{n} 项待签署"),
    "title_wait_1": ("1 waits", "1 项待签署"),
    "title_running": ("{n} running", "{n} 项进行中"),
    "at_hand": ("Open and recent", "进行中与最近"),
    "at_hand_all": ("all", "全部"),
    "badge_locked": ("{n} locked", "{n} 项锁定"),
    "badge_halted": ("{n} halted", "{n} 项暂停"),
    "keys": ("Keys", "快捷键"),
    "key_r": ("run a decision", "发起决策"),
    "key_e": ("edit the plan that waits", "修改待签计划"),
    "key_a": ("approve it; asks first", "批准，会先确认"),
    "key_x": ("reject it", "否决"),
    "key_j": ("next in the queue", "队列中下一个"),
    "key_k": ("previous in the queue", "队列中上一个"),
    "key_space": ("play or pause looking back", "播放或暂停回看"),
    "key_help": ("this list", "显示本列表"),
    "key_ask": ("Approve this?", "确认批准？"),
    "key_yes": ("Approve", "批准"),
    "key_no": ("Not now", "暂不"),
    "key_close": ("Close", "关闭"),
    "skip_to_page": ("Skip to the page", "跳到正文"),
    # the guided demo
    "demo_start": ("Guided demo", "导览演示"),
    "demo_help": (
        "A simulated market and a scripted model, chosen so that something is struck and something waits for you.",
        "模拟行情与脚本模型，特意选取会有数字被划去、并有提案等你签署的一次运行。",
    ),
    "demo_1": ("Who speaks", "谁在发言"),
    "demo_2": ("What was struck", "划去了什么"),
    "demo_3": ("What it changed", "改变了什么"),
    "demo_4": ("Sign here", "在此签署"),
    "demo_5": ("What came of it", "结果如何"),
    "demo_speak": ("Four analysts write at once. Grey numbers are not checked yet.", "四位分析师同时撰写。灰底数字尚未核验。"),
    "demo_argue": ("The analysts have voted; bull and bear argue, the judge rules.", "分析师已投票；多空辩论，裁判裁定。"),
    "demo_struck": ("{n} of {of} checked numbers false, the truth beside each. First:", "核验 {of} 个数字，{n} 处错误，真值在旁。首处："),
    "demo_nothing_struck": ("Every number was true.", "所有数字均属实。"),
    "demo_changed": (
        "A score of {score} took {cost} off the confidence: {confidence}. The executor read the corrected record.",
        "幻觉分 {score}，信心扣减 {cost}，为 {confidence}。执行官读的是更正后的记录。",
    ),
    "demo_sign": (
        "Nothing is ordered before you answer in the bar. Drag stop or target on the chart.",
        "在上方作答之前不会下单。可在图上拖动止损与目标。",
    ),
    "demo_nothing_to_sign": ("It ended without an order.", "本次未产生委托。"),
    "demo_came": ("{state}. Uncover the later candles below the chart, one by one.", "{state}。可在图下逐根揭开其后的 K 线。"),
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
