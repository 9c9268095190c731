"""The words about a struck claim: how its sentence was read, and that somebody disputes it."""

from collections.abc import Mapping

CLAIM_WORDS: Mapping[str, tuple[str, str]] = {
    # how it was read
    "read_as": ("Read as: {what}", "读作：{what}"),
    "read_value": ("{key} is {value}", "{key} 为 {value}"),
    "read_about": ("{key} is about {value}", "{key} 约为 {value}"),
    "read_more": ("{key} is more than {value}", "{key} 高于 {value}"),
    "read_less": ("{key} is less than {value}", "{key} 低于 {value}"),
    "read_between": ("{key} is between {value}", "{key} 介于 {value} 之间"),
    "read_ends": ("{a} and {b}", "{a} 与 {b}"),
    "read_state": ("{key}: {value}", "{key}：{value}"),
    "read_join": ("; ", "；"),
    "measured": ("measured: {value}", "实测：{value}"),
    "measured_at": ("measured: {value} at {at}", "实测：{value}（{at}）"),
    "measured_then": ("measured when it was said: {value}", "说时实测：{value}"),
    "price_was": ("price {value}", "价格 {value}"),
    "off_by": ("off by {gap}", "相差 {gap}"),
    "off_allowed": ("off by {gap}, allowed {tolerance}", "相差 {gap}，容差 {tolerance}"),
    "off_hedged": ("off by {gap}, allowed {tolerance} (doubled: an approximation)", "相差 {gap}，容差 {tolerance}（约数，已加倍）"),
    # disputes
    "dispute": ("Dispute", "提出异议"),
    "dispute_of": ("Dispute: {what}", "提出异议：{what}"),
    "dispute_help": (
        "Say that this was struck wrongly. The dispute is kept with the run; its score and decision stay as they are.",
        "表示此处误判。异议随运行保存，分数与决策不变。",
    ),
    "dispute_undo": ("Undo", "撤回"),
    "dispute_undo_of": ("Withdraw the dispute: {what}", "撤回异议：{what}"),
    "dispute_why": ("Why (optional)", "原因（可选）"),
    "dispute_why_of": ("Why it was struck wrongly: {what}", "误判原因：{what}"),
    "disputed": ("disputed", "有异议"),
    "disputed_by": ("disputed by {who}", "{who} 提出异议"),
    "disputed_because": ("disputed by {who}: {why}", "{who} 提出异议：{why}"),
    "disputed_n": ("{n} disputed", "{n} 项有异议"),
    "disputed_stands": (
        "Disputed by {who}: {n} of these corrections. Score, gate and decision stay as they were recorded.",
        "{who} 对其中 {n} 项纠正提出异议。分数、闸门与决策保持记录时的结果。",
    ),
    "disputed_signer": (
        "Disputed by {who}: {n} of the corrections that this decision was made with.",
        "{who} 对本决策所依据的纠正中的 {n} 项提出异议。",
    ),
    "compare_disputed": ("Disputed corrections", "有异议的纠正"),
    "aria_disputed": ("{stated}: was struck, disputed by {who}", "{stated}：曾被判错，{who} 提出异议"),
    "part_disputes": ("Disputes", "异议"),
}
