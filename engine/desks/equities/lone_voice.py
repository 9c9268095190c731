"""One voice in place of the whole team: the trader is asked once, with the facts and the results of tools, without any role's words.

Given the final state of a run and its context (whose events lead nowhere: the run is over); gives what it would have done, held to the
account and the limits as the order of the run was. It gets what the analysts' planned calls give, since those are the facts that they begin
with. On request only, never part of a decision.
"""

import json
from collections.abc import Mapping
from typing import Any

from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.attached import evidence_block
from engine.desks.equities.answers import read_trade
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.debates.research import heading
from engine.desks.equities.debates.risk import account_briefing
from engine.desks.equities.orders.order import limit_order
from engine.desks.equities.prompts import lone_task, shared_system
from engine.desks.equities.sheet import company_lines
from engine.desks.equities.tools import TOOLS
from engine.desks.equities.tools.tool import Known
from engine.desks.equities.trader import NODE
from engine.domain.errors import BadInput, TribunalError
from engine.domain.stability import LoneAnswer
from engine.domain.text.reason import Reason
from engine.outcomes.similar import precedent_block
from engine.prompts.paragraphs import FACTS, LOOKED_UP_WITHOUT_TOOLS


async def alone(final: Mapping[str, Any], context: EquitiesContext) -> LoneAnswer:
    """Return what it does. Raises BadInput for an index, which is not traded, and for a run that never came to its trader; another
    TribunalError where it gives no usable answer."""
    if not context.preset.debates:
        raise BadInput(Reason("index_cannot_be_ordered", symbol=context.snapshot.listing.symbol))
    if final.get("executor_confidence") is None:
        raise BadInput(Reason("this_decision_ended_before_its_trader_spoke"))
    question = Question(NODE, shared_system(context.language), await _briefing(context))
    try:
        spoken = await ask(context.access, question, read_trade)
    except NoAnswer as lost:
        raise TribunalError(Reason("no_usable_answer", role=NODE, reason=lost)) from None
    limited = limit_order(spoken.read, spoken.read.model_dump(mode="json"), context)
    return LoneAnswer(action=limited.action.value.lower(), usage=spoken.usage)


async def _briefing(context: EquitiesContext) -> str:
    language = context.language
    facts = f"{FACTS[language]}\n{company_lines(context.sheet, context.snapshot, language)}"
    looked_up = "\n\n".join([LOOKED_UP_WITHOUT_TOOLS[language], *await _looked_up(context)])
    earlier = [evidence_block(context.inputs.evidence, language), precedent_block(context.precedents, language)]
    parts = [heading(context), facts, looked_up, *earlier, account_briefing(context), lone_task(language)]
    return "\n\n".join(filter(None, parts))


async def _looked_up(context: EquitiesContext) -> list[str]:
    """Return what the planned calls of all analysts give, each call once."""
    known = Known(context.snapshot, context.sheet, _no_decisions, context.language)
    found: dict[str, str] = {}
    for analyst in context.preset.analysts:
        for name, arguments in analyst.plan:
            call = f"{name} {json.dumps(dict(arguments))}"
            if call not in found:
                found[call] = await TOOLS[name].call(known, arguments)
    return [f"{call}\n{answer}" for call, answer in found.items()]


async def _no_decisions(limit: int) -> list[Mapping[str, Any]]:
    """Return none: no planned call asks for past decisions, and a run that is over reads nothing new."""
    return []
