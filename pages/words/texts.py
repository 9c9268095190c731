"""Every word the desk says, in English and Chinese, side by side. `{name}` stands for what a sentence is told.

    say = words_in("zh")
    say("of_reports", n=3, of=4)

An unknown key is a KeyError: the tests hold every key that the pages use.
"""

from collections.abc import Mapping
from typing import Protocol

from engine.domain.text.language import Language
from pages.words.claim_texts import CLAIM_WORDS
from pages.words.equity_texts import EQUITY_WORDS
from pages.words.frame_texts import FRAME_WORDS
from pages.words.research_texts import RESEARCH_WORDS
from pages.words.run_texts import RUN_WORDS
from pages.words.settings_texts import SETTINGS_WORDS
from pages.words.trading_texts import TRADING_WORDS

LANGUAGE_NAMES: Mapping[Language, str] = {"en": "English", "zh": "中文"}
"""Each by its own name."""
WORDS: Mapping[str, tuple[str, str]] = {
    # roles
    "indicator": ("Indicator", "指标"),
    "trend": ("Trend", "趋势"),
    "sentiment": ("Sentiment", "情绪"),
    "pattern": ("Pattern", "形态"),
    "bull": ("Bull", "多方"),
    "bear": ("Bear", "空方"),
    "judge": ("Judge", "裁判"),
    "grounding": ("Grounding", "核验"),
    "executor": ("Executor", "执行官"),
    "reader": ("Claim reader", "断言复核"),
    "aggregator": ("Consensus", "共识"),
    "you": ("You", "你"),
    # the steps
    "stage_analysis": ("Analysis", "分析"),
    "stage_debate": ("Debate", "辩论"),
    "stage_grounding": ("Grounding", "核验"),
    "stage_executor": ("Executor", "执行"),
    "steps": ("Steps", "步骤"),
    # states
    "waiting": ("waiting", "等待"),
    "writing": ("writing", "撰写中"),
    "checking": ("checking", "核验中"),
    "running": ("running", "进行中"),
    "retrying": ("retrying", "重试中"),
    "retrying_in": ("retrying in {wait} · attempt {n}", "{wait} 后重试 · 第{n}次"),
    "repairing": ("mending its answer", "修正回答中"),
    "abstained": ("abstained", "弃权"),
    "done": ("done", "完成"),
    "failed": ("failed", "失败"),
    "stopped": ("stopped", "已停止"),
    "not_reached": ("not reached", "未进行"),
    "skipped": ("skipped", "已跳过"),
    "partly": ("partly done", "部分完成"),
    "gate_closed": ("gate closed", "闸门关闭"),
    "n_abstained": ("{n} of {of} abstained", "{of} 位中 {n} 位弃权"),
    "nothing_to_sign": ("nothing to sign", "无需签署"),
    "retries_1": ("1 retry", "重试1次"),
    "retries_n": ("{n} retries", "重试{n}次"),
    "cut_off": ("What it had written before is kept:", "此前写下的内容保留："),
    "consensus_without": ("The consensus is formed without it.", "共识由其余分析师形成。"),
    # directions, verdicts, actions
    "LONG": ("Long", "做多"),
    "SHORT": ("Short", "做空"),
    "NEUTRAL": ("Neutral", "中性"),
    "BULL": ("for Bull", "支持多方"),
    "BEAR": ("for Bear", "支持空方"),
    "DRAW": ("for neither", "不偏向任何一方"),
    "HOLD": ("hold", "持有"),
    "EXIT": ("exit", "平仓"),
    "SCALE_IN": ("scale in", "加仓"),
    "PARTIAL_EXIT": ("reduce", "减仓"),
    "signal_entry_long": ("Enter long", "开多仓"),
    "signal_entry_short": ("Enter short", "开空仓"),
    "signal_exit": ("Exit", "平仓"),
    "signal_hold": ("Hold", "继续持有"),
    "signal_wait": ("Wait", "观望"),
    "adjust_position": ("Adjust", "调整仓位"),
    "scale_in": ("Scale in {pct}", "加仓 {pct}"),
    "partial_exit": ("Reduce {pct}", "减仓 {pct}"),
    "run_failed": ("Run failed", "运行失败"),
    "run_stopped": ("Stopped", "已停止"),
    "not_valid": ("{action}, not valid", "{action}（无效）"),
    "not_valid_key": ("Not valid: the key was refused", "无效：密钥被拒绝"),
    "not_valid_format": ("Not valid: the model ignored the form of answers", "无效：模型没有遵守回答格式"),
    "look_at_check": ("Check the installation", "检查安装"),
    # the market line and the tags
    "market": ("Market", "市场"),
    "perp": ("perp", "永续"),
    "spot": ("spot", "现货"),
    "snapshot": ("snapshot", "快照"),
    "funding": ("funding", "资金费率"),
    "simulated_market": ("Simulated market", "模拟行情"),
    "recorded_market": ("Recorded market", "录制行情"),
    "live_market": ("Live market", "实时行情"),
    "scripted_model": ("Scripted model", "脚本模型"),
    "model_tag": ("Model {name}", "模型 {name}"),
    # the verdict bar
    "decision": ("Decision", "决策"),
    "no_run": ("No run yet", "尚无运行"),
    "no_run_hint": (
        "Choose a market and press Run a decision. It takes about half a minute and orders nothing.",
        "选择市场，点击“开始决策”。约需半分钟，不会下单。",
    ),
    "starting": ("Starting", "启动中"),
    "analysts_write": ("Analysts are writing", "分析师撰写中"),
    "is_speaking": ("{role} is speaking", "{role}发言中"),
    "checking_numbers": ("Checking the numbers", "正在核验数字"),
    "deciding": ("Executor is deciding", "执行官决策中"),
    "step_of": ("step {n} of 5", "第{n}步，共5步"),
    "if_fails": ("if anything fails the answer is", "任何一步失败，结论即为"),
    "entry": ("Entry", "入场"),
    "at_market": ("last price", "最新价"),
    "stop": ("Stop", "止损"),
    "target": ("Target", "目标"),
    "reward_risk": ("Reward : risk", "盈亏比"),
    "before_costs": ("before costs", "未计成本"),
    "consensus": ("Consensus", "共识"),
    "of_reports": ("{n} of {of} reports", "{n}/{of} 份报告"),
    "calls": ("Calls", "调用"),
    "confidence": ("confidence", "置信度"),
    "leverage": ("leverage", "杠杆"),
    "limits_pass": ("{n} limits apply, all pass", "适用 {n} 项限制，全部通过"),
    "limits_pass_1": ("1 limit applies and passes", "适用 1 项限制，已通过"),
    "limits_breached": ("{bad} of {n} limits breached", "适用 {n} 项限制，{bad} 项超限"),
    "position": ("Position", "持仓"),
    "since_entry": ("since entry", "自入场以来"),
    "elapsed": ("elapsed", "已用"),
    "tokens_n": ("{n} tokens", "{n} 词元"),
    "orders_nothing": ("This run orders nothing.", "本次运行不会下单。"),
    # analysts and debate
    "analysts": ("Analysts", "分析师"),
    "consensus_is": ("consensus", "共识"),
    "debate": ("Debate", "辩论"),
    "debate_checked": ("Debate, checked", "辩论（已核验）"),
    "key_pending": ("checked against the snapshot after the judge", "裁判之后按快照核验"),
    "key_verified": ("verified", "已核实"),
    "key_false": ("false, and the truth", "错误与真值"),
    "key_moved": ("true when said, moved since", "说时为真，后已变动"),
    "key_unverifiable": ("not checkable", "无法核验"),
    # claims
    "true": ("verified", "已核实"),
    "false": ("false", "错误"),
    "unverifiable": ("cannot be checked", "无法核验"),
    "moved": ("moved since it was said", "说后已变动"),
    "when_said": ("when said", "说时"),
    "now": ("now", "现在"),
    "pending": ("not checked yet", "尚未核验"),
    "stated": ("stated", "声称"),
    "actual": ("actual", "实际"),
    "deviation": ("deviation", "偏差"),
    "tolerance": ("tolerance", "容差"),
    "bar": ("bar", "K线"),
    "simulated_venue": ("Simulated", "模拟"),
    "formula": ("formula", "公式"),
    "list_comma": (", ", "，"),
    "bars_used": ("{n} bars", "{n}根"),
    "relayed": ("said by {who}, endorsed by {by}", "{who}所说，{by}认同"),
    "show_bar": ("Enter shows the bar on the chart", "回车：在图上定位该K线"),
    "read_yes": ("Confirmed by a second reader: it is stated here.", "经第二位读者确认：此处确实如此陈述。"),
    "cannot_tell": ("It neither convicts nor acquits.", "既不定罪也不开脱。"),
    "more_than": ("more than {x}", "高于 {x}"),
    "less_than": ("less than {x}", "低于 {x}"),
    "from_to": ("{a} to {b}", "{a} 至 {b}"),
    "aria_false": ("{stated} → {actual}: stated and false, then what was measured", "{stated} → {actual}：前为所称（有误），后为实测"),
    "aria_unconfirmed": ("{said}; not confirmed by a second reader", "{said}；未经第二位读者确认"),
    "aria_true": ("{stated}: verified", "{stated}：已核实"),
    "aria_moved": ("{stated} → {actual}: right when it was said, has moved since", "{stated} → {actual}：说时为真，其后已变动"),
    "aria_moved_false": (
        "{stated}: false when it was said ({then}), and so now",
        "{stated}：说时有误（当时 {then}），现在成立",
    ),
    "aria_unverifiable": ("{stated}: cannot be checked", "{stated}：无法核验"),
    # grounding
    "grounding_summary": (
        "Debate: verified {good}/{total} · hallucination score {score} · corrected {fixed} · confidence penalty {penalty}",
        "辩论：验证 {good}/{total} 通过 · 幻觉分 {score} · 纠正 {fixed} 项 · 置信度惩罚 {penalty}",
    ),
    "moved_text": (
        "{n} of these numbers were true when they were said and have moved since. They count as verified.",
        "其中 {n} 个数字说时为真，其后变动，计为已核实。",
    ),
    "gate_open": ("gate open: it closes above a score of 70 %", "闸门开启：幻觉分超过 70 % 即关闭"),
    "grounding_waits": ("Numbers are checked against the snapshot when the judge has spoken.", "裁判发言后，按快照核验所有数字。"),
    "none_false": ("No false numbers: all {n} checked numbers were right.", "没有错误数字：核验的 {n} 个全部正确。"),
    "none_checkable": ("Nothing that could be checked was stated.", "没有可核验的陈述。"),
    "false_counted": (
        "{n} false numbers of {of} checked: {debate} in the debate, which the score counts; {others}",
        "核验 {of} 个数字，共 {n} 处错误：辩论 {debate}（计入幻觉分）；{others}",
    ),
    "false_all_debate": (
        "{n} false numbers, all in the debate, of {of} checked: the score counts them",
        "核验 {of} 个数字，共 {n} 处错误，全部来自辩论，计入幻觉分",
    ),
    "false_analysts": ("{n} of analysts", "分析师 {n}"),
    "false_executor": ("{n} of the executor", "执行官 {n}"),
    "planted_caught": ("{n} planted, {caught} caught, in all roles", "所有角色：植入 {n}，识破 {caught}"),
    "speaker": ("speaker", "发言者"),
    "said": ("said", "原话"),
    "executor_said": ("executor said", "执行官采用"),
    "not_used": ("not used", "未采用"),
    "evidence": ("Evidence", "证据"),
    "hallucination_score": ("hallucination score of the debate", "辩论幻觉分"),
    "evidence_moved": ("{n} of them moved since", "其中 {n} 项其后变动"),
    "evidence_row": ("{good} verified, {bad} false, {open} not checkable", "{good} 已核实，{bad} 错误，{open} 无法核验"),
    "matrix": ("Who said what: rows with ≠ disagree", "谁说了什么：≠ 行存在分歧"),
    "matrix_more": ("{n} more facts, with nothing false", "另有 {n} 项指标，均无错误"),
    "matrix_count": ("{n} of {of} facts · {false} boxes false", "{n}/{of} 项指标 · {false} 格有误"),
    "fact": ("fact", "指标"),
    "truth": ("truth", "真值"),
    "no_fact": ("no fact", "无数据"),
    # executor
    "key_factors": ("Key factors", "关键因素"),
    "risk": ("Risk", "风险"),
    "matter": ("Did the corrections matter?", "纠正是否改变了结果？"),
    "matter_same": ("No: without them the action is the same.", "没有：不纠正，动作也相同。"),
    "matter_changed": ("Yes: without them the action is another.", "有：不纠正，动作会不同。"),
    "matter_action": ("Action", "动作"),
    "matter_with": ("with corrections", "纠正后"),
    "matter_without": ("without", "不纠正"),
    "executor_not_asked": ("The executor was not asked.", "未询问执行官。"),
    "adjustment": ("Adjustment", "调整"),
    "of_position": ("of the position", "占仓位"),
    # scores
    "where_from": ("Where {n} comes from", "{n} 从何而来"),
    "false_claims": ("False claims", "错误声明"),
    "final": ("Final", "最终"),
    "least_allowed": ("least allowed {n}", "下限 {n}"),
    "limits": ("Limits, in code", "硬性限制"),
    "max_leverage": ("Leverage", "杠杆"),
    "min_confidence": ("Confidence", "置信度"),
    "min_risk_reward_ratio": ("Reward : risk, before costs", "盈亏比（未计成本）"),
    "min_risk_reward_after_costs": ("Reward : risk, after costs", "盈亏比（计成本后）"),
    "max_stop_distance_pct": ("Stop distance", "止损距离"),
    "max_position_pct": ("Position share", "仓位占比"),
    "max_open_positions": ("Open positions", "持仓数"),
    "kill_switch": ("Kill switch", "暂停开关"),
    "max_price_gap_pct": ("Gap to last close", "与上一收盘价差"),
    "max_snapshot_age_bars": ("Snapshot age, bars", "快照时间（K线）"),
    "allowed_symbols": ("Allowed market", "允许的市场"),
    "max_stop_to_liquidation_pct": ("Stop to liquidation", "止损占强平距离"),
    "max_notional": ("Notional", "名义金额"),
    "max_exposure_pct": ("Exposure", "总敞口"),
    "max_daily_loss_pct": ("Loss of the day", "当日亏损"),
    "max_drawdown_pct": ("Drawdown", "回撤"),
    "cooldown_minutes": ("Cool-down, min", "冷静期（分钟）"),
    "max_orders_per_hour": ("Orders an hour", "每小时订单"),
    "min_cash_left": ("Cash left", "剩余现金"),
    "drawdown_share_pct": ("Share of the drawdown left", "占剩余回撤"),
    "does_not_apply": ("does not apply", "不适用"),
    "max_drift_atr": ("Drift, ATR", "偏移（ATR）"),
    "risk_per_trade_pct": ("Risk of a trade", "单笔风险"),
    "cooldown_loss_pct": ("Loss that cools down", "触发冷静的亏损"),
    "switch_fine": ("yes", "是"),
    "switch_on": ("halted", "已暂停"),
    "switch_off": ("off", "未启用"),
    "not_allowed": ("not allowed", "不允许"),
    "passed": ("passed", "通过"),
    "near": ("passed, near its bound", "通过，接近界限"),
    "breached": ("breached", "超限"),
    # run facts
    "this_run": ("This run", "本次运行"),
    "run_calls": ("calls", "调用"),
    "run_failed_calls": ("{n}, {failed} without use", "{n}，{failed} 次无效"),
    "run_tokens": ("tokens", "词元"),
    "run_time": ("wall time", "总耗时"),
    "run_model": ("model", "模型"),
    "run_id": ("run", "运行编号"),
    "run_path": ("path", "路径"),
    "entry_path": ("entry", "入场"),
    "position_path": ("position", "持仓"),
    "run_chaos": ("one lie on purpose", "故意的谎言"),
    "run_lies": ("planted lies", "植入谎言"),
    "run_seed": ("seed", "种子"),
    "run_first": ("first words", "首字"),
    # messages
    "msg_retry": ("{role}, attempt {n}:", "{role}，第{n}次："),
    "msg_retry_text": ("{reason}. Asked again after {wait}.", "{reason}。{wait} 后重新询问。"),
    "msg_repair_text": ("{reason}. Asked to mend the answer.", "{reason}。已要求修正回答。"),
    "msg_abstained": ("{role} gave no report.", "{role}没有报告。"),
    "msg_failed": ("{role} failed.", "{role}失败。"),
    "msg_safe": ("Safe action:", "安全动作："),
    "msg_gate": (
        "Gate closed: {score} of the debate's checked numbers were false ({false} of {total}).",
        "闸门关闭：辩论中核验的数字有 {score} 有误（{total} 个中 {false} 个）。",
    ),
    "msg_gate_text": ("The executor was not asked.", "未询问执行官。"),
    "msg_limit": ("Blocked by a limit: {rule}.", "被限制拦下：{rule}。"),
    "msg_limit_text": ("Measured {measured}, bound {bound}.", "实测 {measured}，界限 {bound}。"),
    "msg_invalid": ("The decision is not valid.", "决策无效。"),
    "msg_run_failed": ("The run ended early.", "运行提前结束。"),
    "msg_run_stopped": ("The run was stopped.", "运行已停止。"),
    "msg_warning": ("Note:", "提示："),
    "msg_missing": ("Not in this snapshot:", "快照中缺少："),
    "nothing_ordered": ("Nothing was ordered.", "没有下单。"),
    # notice
    "notice": ("Decision support, not advice.", "仅供决策参考，不构成投资建议。"),
    "notice_scripted": ("Words on this page come from a scripted model.", "本页文字出自脚本模型。"),
    "notice_model": ("Words on this page come from a language model.", "本页文字出自语言模型。"),
    "notice_ink": ("Numbers marked ✕ were false; the measured value stands beside them.", "标有 ✕ 的数字有误，旁边是实测值。"),
    # chart
    "chart_says": (
        "Candles of {symbol}, {timeframe}: {n} bars to {last}, last price {price}, lowest {low}, highest {high}.",
        "{symbol} {timeframe} K线：{n}根，至 {last}，最新价 {price}，最低 {low}，最高 {high}。",
    ),
    "chart_empty": ("No candles to show.", "没有可显示的K线。"),
    "chart_style": ("hollow = up, filled = down", "空心=涨，实心=跌"),
    "chart_closed": ("{at} closed", "{at} 已收盘"),
    "chart_forming": ("{at} forming (dashed)", "{at} 形成中（虚线）"),
    "chart_time": ("time (UTC)", "时间（UTC）"),
    "open": ("open", "开"),
    "high": ("high", "高"),
    "low": ("low", "低"),
    "close": ("close", "收"),
    "volume": ("volume", "量"),
    "support": ("Support", "支撑"),
    "resistance": ("Resistance", "阻力"),
    "false_level": ("{who} said {what} {price}", "{who}称{what} {price}"),
    "false_value": ("{who} said {value}", "{who}称 {value}"),
    "chart_reset": ("Show the whole chart", "显示全图"),
    **EQUITY_WORDS,
    **RESEARCH_WORDS,
    **FRAME_WORDS,
    **CLAIM_WORDS,
    **RUN_WORDS,
    **SETTINGS_WORDS,
    **TRADING_WORDS,
}


class Say(Protocol):
    """Looks a word up in one language and fills it in."""

    def __call__(self, key: str, /, **values: object) -> str: ...


def words_in(language: Language) -> Say:
    """Return the words of one language."""
    column = 1 if language == "zh" else 0

    def say(key: str, /, **values: object) -> str:
        text = WORDS[key][column]
        return text.format(**values) if values else text

    return say


def role_name(role: str, say: Say) -> str:
    """Return a speaker's name; one the desk does not know is called by its key."""
    return say(role) if role in WORDS else role.replace("_", " ").capitalize()


def event_word(kind: str, say: Say) -> str:
    """Return what happened; a kind of event that the desk does not know is called by its name."""
    key = f"ev_{kind}"
    return say(key) if key in WORDS else kind
