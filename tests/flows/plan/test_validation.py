"""What a plan must be: every fault is named by its path, and a plan without one comes to an end."""

import copy
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.desks.plan import LangGraphPlanExecutor, load_plan_from_json
from engine.desks.plan.references import InputMissing, filled_in, references
from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.validation import PlanFault, checked_plan
from engine.domain.errors import BadInput
from engine.domain.plan.plan import DecompositionPlan
from tests.flows.plan.material import AT, Pauses, failing, plan_json, probe, registry_with, task

SOUND = plan_json(
    task("price", "market_snapshot"), task("rank", "calculate", args={"operation": "divide", "a": "{price_out.price}", "b": 2})
)
TWO = SOUND | {"factors": [*SOUND["factors"], *plan_json(task("paid", "funding_history"), name="two")["factors"]]}


def changed(plan: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    made = copy.deepcopy(plan)
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return made


TASK = ("factors", 1, "tasks", 0)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ((*TASK, "tool"), "moon_phase", r"^factors\[1\]\.tasks\[0\]\.tool: there is no tool 'moon_phase'; tools are market_snapshot,"),
        ((*TASK, "args"), {}, r"^factors\[1\]\.tasks\[0\]\.args\.symbol: field required \(tool funding_history\)"),
        ((*TASK, "args"), {"symbol": "B", "settlements": 0}, r"factors\[1\]\.tasks\[0\]\.args\.settlements: input should be greater"),
        ((*TASK, "args"), {"symbol": "{coin}"}, r"factors\[1\]\.tasks\[0\]\.args\.symbol: the placeholder \{coin\} is missing; known here"),
        ((*TASK, "args"), {"symbol": "{paid_out}"}, r"factors\[1\].*\{paid_out\} is the output of this or a later task"),
        (("factors", 0, "tasks", 1, "output_key"), "price_out", r"factors\[0\]\.tasks\[1\]\.output_key: there is another output"),
        (("factors", 1, "tasks"), [task(f"t{n}", "funding_history") for n in range(13)], r"^factors\[1\]\.tasks: 12 at most, there are 13"),
        ((*TASK, "max_retries"), 99, r"factors\[1\]\.tasks\[0\]\.max_retries: input should be less than or equal to 5"),
        (("global_assumptions",), {"symbol": 1}, r"factors\[0\]\.placeholders\.symbol: a global assumption has that name already"),
        ((*TASK, "args"), {"symbol": [{"of": [1, float("nan")]}]}, r"^factors\[1\]\.tasks\[0\]\.args\.symbol\[0\]\.of\[1\]: input"),
    ],
)  # fmt: skip
def test_a_fault_is_named_by_its_path(path: tuple[Any, ...], value: Any, message: str) -> None:
    load_plan_from_json(TWO)
    with pytest.raises(PlanFault, match=message):
        load_plan_from_json(changed(TWO, path, value))


def test_a_plan_comes_from_a_file_a_text_or_an_object(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(TWO))
    assert load_plan_from_json(path) == load_plan_from_json(str(path)) == load_plan_from_json(json.dumps(TWO)) == load_plan_from_json(TWO)
    path.write_text(json.dumps(TWO)[:-4])
    with pytest.raises(PlanFault, match="is not JSON"):
        load_plan_from_json(path)
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        load_plan_from_json(tmp_path / "none.json")
    for depth in (40, 400):
        deep: Any = 1
        for _ in range(depth):
            deep = [deep]
        with pytest.raises(PlanFault, match="nested too deeply"):
            load_plan_from_json(changed(TWO, ("global_assumptions",), {"deep": deep}))


def many(count: int) -> dict[str, Any]:
    return plan_json(*(task(f"t{n}", "funding_history") for n in range(count)))


def with_values(**values: Any) -> dict[str, Any]:
    plan = plan_json(task("paid", "funding_history"))
    plan["factors"][0]["placeholders"] |= values
    return plan


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (many(10_000), r"^factors\[0\]\.tasks: 12 at most, there are 10000$"),
        (with_values(x="y" * 5_000_000), "longer than 1,000,000 characters"),
        (with_values(x=[[0] * 100] * 20_000), "more than 100,000 values"),
        (with_values(a="{b}", b="{a}"), r"placeholders\.a: \{b\} is not filled in here.*placeholders\.b: \{a\} is not filled in"),
        (plan_json(task("a", "calculate", args={"operation": "add", "a": "{a_out.result}", "b": 1})), "output of this or a later task"),
        (
            plan_json(task("a", "funding_history", args={"symbol": "{symbol}" * 5_000})),
            r"args\.symbol: an argument is 65000 characters long",
        ),
        (
            plan_json(task("a", "funding_history"), name="fun\u202eding"),
            r"^factors\[0\]\.name: 'fun\\u202eding' has characters that cannot be seen$",
        ),
        (
            plan_json(task("a\u200b", "funding_history", output_key="k")),
            r"^factors\[0\]\.tasks\[0\]\.id: 'a\\u200b' has characters that cannot be seen$",
        ),
        (plan_json(task("a", "funding_history"), name="\ud800"), r"^factors\[0\]\.name: input should be a valid string[^;]*$"),
        ('{"question": "a", "question": "b"}', "the key 'question' appears twice"),
    ],
)
def test_what_is_too_much_too_clever_or_not_what_it_looks_like_is_refused_in_a_line(given: Any, message: str) -> None:
    with pytest.raises(PlanFault, match=message) as refusal:
        load_plan_from_json(given)
    assert len(str(refusal.value)) < 1_000
    assert str(refusal.value).isprintable()


def test_the_names_of_a_models_plan_can_be_seen_too_and_its_question_is_made_so() -> None:
    hidden = plan_json(task("a", "funding_history"), name="fun\u202eding")
    with pytest.raises(PlanFault) as refusal:
        checked_plan(hidden, ToolRegistry())
    assert refusal.value.args[0].said_in("zh") == "factors[0].name：'fun\\u202eding' 含有看不见的字符"
    assert checked_plan({**TWO, "question": "up\u202eor down?"}, ToolRegistry()).question == "up\ufffdor down?"


def test_a_reference_that_names_nothing_is_a_text_like_any_other() -> None:
    load_plan_from_json(with_values(note="in {braces}, and {{symbol}}"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b" " * 5_000_000 + b"{}", "longer than 1,000,000 characters"),
        (b"[" * 100_000, "is not JSON"),
        (b"{" + b",".join(b'"k%d": 1' % n for n in range(60_000)) + b', "k59999": 2}', "'k59999' appears twice"),
        (b'{"question": ' + b"9" * 5_000 + b"}", "is not JSON"),
        (b'{"question": "\xff"}', "cannot be read"),
    ],
    ids=["5 MB", "deep", "twice", "long number", "bytes"],
)
def test_a_file_that_is_no_plan_is_refused_at_once_and_stays(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=message):
        load_plan_from_json(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("path", ["a\0b.json", "", " ", "x" * 5_000, "/dev/zero"])
def test_what_names_no_file_is_refused(path: str) -> None:
    with pytest.raises(BadInput):
        load_plan_from_json(path)


def test_arguments_that_come_of_placeholders_are_held_to_the_schema_too() -> None:
    plan = plan_json(task("paid", "funding_history", args={"symbol": "{symbol}", "settlements": "{n}"}))
    for n, sound in ((21, True), (0, False), ("many", False)):
        plan["factors"][0]["placeholders"]["n"] = n
        if sound:
            load_plan_from_json(plan)
        else:
            with pytest.raises(PlanFault, match=r"factors\[0\]\.tasks\[0\]\.args\.settlements"):
                load_plan_from_json(plan)


def test_references_are_values_or_words_and_never_read_twice() -> None:
    context = {"n": 3, "name": "{n}", "row": {"a": [1, {"b": "x"}]}, "lost": {"error": "no data"}}
    assert filled_in("{n}", context) == 3
    assert filled_in(["{row.a.1.b}", "{n} of {name}", "{{n}}"], context) == ["x", "3 of {n}", "{n}"]
    assert list(references({"a": ["{n}", {"b": "x{row.a}"}]})) == [("a[0]", "n"), ("a[1].b", "row.a")]
    for missing, why in (("{moon}", "no placeholder"), ("{row.z}", "has no 'z'; it has a"), ("{lost.value}", "no data")):
        with pytest.raises(InputMissing, match=why):
            filled_in(missing, context)


NAMES = st.sampled_from(["a", "b", "c", "symbol", "n"])
ARGS = st.fixed_dictionaries(
    {"symbol": st.sampled_from(["BTC/USDT:USDT", "{symbol}", "{a}", "{b.value}", "x{n}"])},
    optional={"value": st.sampled_from([1, 0.5, "{n}", "{a.value}", "word", None]), "moon": st.just(1)},
)
TASKS = st.fixed_dictionaries(
    {"id": NAMES, "tool": st.sampled_from(["probe", "probe", "probe", "moon"]), "args": ARGS, "output_key": NAMES},
    optional={"max_retries": st.integers(-1, 3)},
)
FACTORS = st.fixed_dictionaries(
    {"name": NAMES, "tasks": st.lists(TASKS, max_size=4)},
    optional={"placeholders": st.dictionaries(NAMES, st.sampled_from([1, "ETH", {"value": 2}]), max_size=3)},
)
PLANS = st.fixed_dictionaries(
    {"question": st.just("?"), "factors": st.lists(FACTORS, max_size=3)},
    optional={"global_assumptions": st.dictionaries(NAMES, st.integers(0, 5), max_size=1)},
)


@st.composite
def sound_plans(draw: st.DrawFn) -> dict[str, Any]:
    """Plans without a fault: tasks that refer to placeholders, assumptions and earlier outputs of their factor."""
    factors = []
    for place in range(draw(st.integers(1, 3))):
        tasks = []
        for number in range(draw(st.integers(1, 5))):
            values = [1, "{n}", "{k}", *(f"{{o{earlier}.value}}" for earlier in range(number))]
            args = {"symbol": draw(st.sampled_from(["{symbol}", "x{symbol}", "ETH"])), "value": draw(st.sampled_from(values))}
            tasks.append(task(f"t{number}", args=args, output_key=f"o{number}", max_retries=draw(st.sampled_from([None, 0, 1, 3]))))
        factors.append({"name": f"f{place}", "placeholders": {"symbol": "BTC", "n": place}, "tasks": tasks})
    return {"question": "?", "global_assumptions": {"k": 7}, "factors": factors}


@settings(max_examples=80, deadline=None)
@given(PLANS)
def test_whatever_is_given_is_a_plan_or_refused_with_a_path(data: dict[str, Any]) -> None:
    try:
        checked_plan(data, registry_with(probe(failing(0))[0]))
    except PlanFault as fault:
        message = str(fault)
    else:
        return
    assert message.startswith(("factors", "global_assumptions"))


@pytest.mark.full
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sound_plans(), st.sets(st.integers(1, 25)), st.sampled_from([0.0, 0.5, 1.0]))
async def test_a_sound_plan_ends_whatever_fails(data: dict[str, Any], fails_at: set[int], sure: float) -> None:
    def answer(call: int, asked: Any) -> float:
        if call in fails_at:
            raise BadInput("not this time")
        return sure

    registry = registry_with(probe(answer)[0])
    plan = checked_plan(data, registry)
    result = await LangGraphPlanExecutor(registry, at=AT, sleep=Pauses()).run_plan(plan)
    for factor, written in zip(result.factors, plan.factors, strict=True):
        assert {each.output_key for each in written.tasks} <= factor.context.keys()
        ends = [
            each.id for each in factor.task_results if each.kind == "skip" or (each.kind in {"task", "retry"} and each.status == "done")
        ]
        assert ends == [each.id for each in written.tasks], "every task ends once, in order"
        assert (factor.status == "done") == all(each.kind != "skip" for each in factor.task_results)
        for each in written.tasks:
            made = sum(one.kind == "retry" and one.id == each.id for one in factor.task_results)
            assert made <= (1 if each.max_retries is None else each.max_retries)


def test_the_schema_of_a_plan_and_of_tools_is_json() -> None:
    assert DecompositionPlan.model_json_schema()["required"] == ["question", "factors"]
    for each in ToolRegistry().describe():
        assert set(each) == {"name", "description", "parameters"}
        assert each["parameters"]["type"] == "object"  # type: ignore[call-overload, index]
        json.dumps(each, allow_nan=False)


async def test_a_tool_that_claims_to_know_later_data_is_dated_to_the_instant() -> None:
    from engine.desks.plan.tools.protocol import PlanTool, ToolResult
    from engine.domain.plan.results import QualityCheck
    from tests.flows.plan.material import ProbeArguments

    async def run(scope: Any, asked: Any) -> ToolResult:
        return ToolResult({}, (QualityCheck(name="shape", score=1, reason=""),), scope.at + timedelta(days=1), "test")

    registry = registry_with(PlanTool("probe", "", ProbeArguments, run, lambda output, language: ""))
    result = await LangGraphPlanExecutor(registry, at=AT).run_plan(checked_plan(plan_json(task("a")), registry))
    assert result.factors[0].task_results[0].as_of == AT.isoformat()
