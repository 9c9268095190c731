"""Why an order was not formed, or was made smaller, in words: the sentences of `errors` and `warnings`, in both languages."""

from collections.abc import Mapping

from engine.domain.text.language import Language
from engine.prompts.render import Text

_REASONS: Mapping[str, Text] = {
    "no_answer": {"en": "{role} gave no usable answer: {reason}", "zh": "{role} 没有给出可用的回答：{reason}"},
    "degraded": {
        "en": "the {role} report is missing, tried {attempts} times: {reason}",
        "zh": "缺少 {role} 报告，已尝试 {attempts} 次：{reason}",
    },
    "breaker": {
        "en": "the {role} analyst was stopped by the breaker after {calls} tool calls and wrote from what it had",
        "zh": "{role} 分析师在 {calls} 次工具调用后被熔断，按已有内容写出报告",
    },
    "too_few": {
        "en": "only {spoke} of {all} analysts reported, {needed} are needed",
        "zh": "{all} 位分析师中只有 {spoke} 位给出报告，至少需要 {needed} 位",
    },
    "deadline": {
        "en": "the run did not finish within {seconds} s (TRIBUNAL_RUN_DEADLINE_S)",
        "zh": "运行未能在 {seconds} 秒内完成（TRIBUNAL_RUN_DEADLINE_S）",
    },
    "format": {
        "en": "the model ignored the form of answers in {n} of {of} roles; a larger model, a lower TRIBUNAL_TEMPERATURE or "
        "TRIBUNAL_ROLE_MODELS usually helps",
        "zh": "模型在 {of} 个角色中有 {n} 个未遵守回答格式；换用更大的模型、调低 TRIBUNAL_TEMPERATURE 或设置 TRIBUNAL_ROLE_MODELS 通常有效",
    },
    "broke": {"en": "the run broke: {reason}", "zh": "流程中断：{reason}"},
    "unfinished": {"en": "the run did not come to its end", "zh": "流程没有走到终点"},
    "cut": {
        "en": "the order was cut from {asked} to {allowed} shares: largest_allowed_order is {largest} ({bound} binds)",
        "zh": "订单由 {asked} 股削减为 {allowed} 股：largest_allowed_order 为 {largest}（受限于 {bound}）",
    },
    "cut_held": {
        "en": "the sale was cut from {asked} to {allowed} shares: no more may be sold",
        "zh": "卖出由 {asked} 股削减为 {allowed} 股：可卖数量不足",
    },
    "rounded": {
        "en": "{asked} shares were rounded down to {allowed}: whole lots of {lot}",
        "zh": "{asked} 股向下取整为 {allowed} 股：每手 {lot} 股",
    },
    "below_least": {
        "en": "{asked} shares are fewer than the smallest order there, {least}",
        "zh": "{asked} 股少于该市场的最小订单 {least} 股",
    },
    "no_price": {"en": "{what} {level} is no price near the last one, {price}", "zh": "{what} {level} 不是接近最新价 {price} 的价格"},
    "judge_cut": {
        "en": "the trader asked for more than was decided: {asked} became {allowed} shares",
        "zh": "交易员要求超过决策：{asked} 股改为 {allowed} 股",
    },
    "other_side": {"en": "the trader's {asked} is not what was decided ({decided})", "zh": "交易员的 {asked} 与决策（{decided}）不符"},
    "nothing_allowed": {
        "en": "nothing can be bought: largest_allowed_order is {largest} ({bound} binds)",
        "zh": "无法买入：largest_allowed_order 为 {largest}（受限于 {bound}）",
    },
    "no_lot": {
        "en": "no order is possible: {least} shares, the smallest buy, cost {cost}; {largest} is allowed ({bound} binds), none can be sold",
        "zh": "无法下单：最小买入 {least} 股需 {cost}，允许 {largest}（受限于 {bound}），且没有可卖的持股",
    },
    "nothing_held": {"en": "nothing can be sold: no sellable shares are held", "zh": "无法卖出：没有可卖的持股"},
    "stop_side": {"en": "stop {stop} is not below the buy at {price}", "zh": "止损价 {stop} 不低于买入价 {price}"},
    "target_side": {"en": "target {target} is not above the buy at {price}", "zh": "目标价 {target} 不高于买入价 {price}"},
    "halted": {"en": "trading is halted", "zh": "交易已停止"},
    "not_tradable": {"en": "{symbol} cannot be ordered: it is an index", "zh": "{symbol} 不可下单：它是指数"},
    "lot_unknown": {
        "en": "{symbol} cannot be bought or sold in part: companies in Hong Kong choose their own lot, and this one is not known here",
        "zh": "{symbol} 不可买入，也不可部分卖出：香港公司自定每手股数，此处未知",
    },
    "low_confidence": {"en": "confidence {confidence} is below {bound}", "zh": "信心 {confidence} 低于 {bound}"},
    "breached": {
        "en": "the order breaches a limit, so that it can be filed but not approved: {reason}",
        "zh": "订单违反限制，可以提交但不能批准：{reason}",
    },
    "blocked": {"en": "the order cannot be answered: {reason}", "zh": "订单无法批准：{reason}"},
    "not_filed": {"en": "no proposal could be filed: {reason}", "zh": "未能提交提案：{reason}"},
}


def reason(name: str, language: Language, **values: object) -> str:
    """Return one sentence. Raises KeyError for a name that does not exist or a word that is missing."""
    return _REASONS[name][language].format(**values)
