"""English for the roles: how they open, concede, rule and close. Opinion only: no sentence here can be true or false of the market."""

from engine.flows.decision.script.lexicon import ExecutorWords, RoleWords

ENGLISH_ROLES = RoleWords(
    openings={
        "indicator": {
            1: (
                "The gauges, taken together, lean to the upside.",
                "Read side by side, the oscillators and trend gauges give buyers the edge.",
            ),
            -1: (
                "The gauges, taken together, lean to the downside.",
                "Read side by side, the oscillators and trend gauges give sellers the edge.",
            ),
            0: (
                "The gauges pull in both directions and cancel out.",
                "Read side by side, the oscillators and trend gauges reach no verdict.",
            ),
        },
        "trend": {
            1: (
                "Structure comes first, and here it works for buyers.",
                "The averages and the levels line up more for buyers than against them.",
            ),
            -1: (
                "Structure comes first, and here it works for sellers.",
                "The averages and the levels line up more for sellers than against them.",
            ),
            0: ("Structure comes first, and here it is contested.", "The averages and the levels do not agree on a direction."),
        },
        "sentiment": {
            1: (
                "Positioning and participation open the door to the upside.",
                "The mood of the market, read against the flow, favours buyers.",
            ),
            -1: (
                "Positioning and participation open the door to the downside.",
                "The mood of the market, read against the flow, favours sellers.",
            ),
            0: ("Positioning and participation are balanced.", "The mood of the market, read against the flow, gives no direction."),
        },
        "pattern": {
            1: ("The candles and the location favour buyers.", "Price action, set against its bands and levels, tilts to the upside."),
            -1: ("The candles and the location favour sellers.", "Price action, set against its bands and levels, tilts to the downside."),
            0: ("The candles and the location leave the matter open.", "Price action, set against its bands and levels, is undecided."),
        },
        "": {
            1: ("The measured facts at hand favour buyers.", "Taken one by one, these facts tilt to the upside."),
            -1: ("The measured facts at hand favour sellers.", "Taken one by one, these facts tilt to the downside."),
            0: ("The measured facts at hand do not point one way.", "Taken one by one, these facts balance out."),
        },
    },
    closings={
        1: (
            "On balance I vote for the upside with {conviction} conviction; a turn in the facts named here would change that view.",
            "Weighing all of this, the upside is the better side, held with {conviction} conviction.",
        ),
        -1: (
            "On balance I vote for the downside with {conviction} conviction; a turn in the facts named here would change that view.",
            "Weighing all of this, the downside is the better side, held with {conviction} conviction.",
        ),
        0: (
            "On balance I stay neutral: forcing a direction out of this would be a guess.",
            "Weighing all of this, neither side has earned a vote, and patience costs nothing.",
        ),
    },
    missing={
        "oi_change_pct": "Open interest is missing from this feed and is left out, not guessed.",
        "funding_rate_pct": "The funding rate is missing from this feed and is left out, not guessed.",
        "fear_greed": "The Fear & Greed index is missing from this feed and is left out, not guessed.",
    },
    nothing="The prompt holds no measured facts that I can read, so I state none and take no side.",
    pattern={
        1: ("A bullish {name} completed {age}, and buyers own that candle.", "The candles show a bullish {name} {age}, a mark of demand."),
        -1: (
            "A bearish {name} completed {age}, and sellers own that candle.",
            "The candles show a bearish {name} {age}, a mark of supply.",
        ),
        0: ("The {name} that completed {age} is a pause and not a signal.", "The {name} {age} speaks of hesitation."),
    },
    no_pattern=(
        "No candlestick pattern is listed, so the bands and levels carry this report.",
        "The list of candlestick patterns is empty.",
    ),
    ages=("on the latest closed bar", "within the last few bars", "earlier in this window"),
    conviction=("modest", "moderate", "solid", "high"),
    margin=("narrow", "clear", "wide"),
    case_opening={
        1: ("The case for the upside rests on what was measured.", "Buyers have the better arguments here, and they can be counted."),
        -1: ("The case for the downside rests on what was measured.", "Sellers have the better arguments here, and they can be counted."),
        0: ("The case rests on what was measured.",),
    },
    case_weak={
        1: ("The record offers buyers little, and I will not pretend otherwise.", "An honest bull has thin material today."),
        -1: ("The record offers sellers little, and I will not pretend otherwise.", "An honest bear has thin material today."),
        0: ("The record is thin.",),
    },
    case_concession=("To be fair to the other side, ", "What speaks against me is this: ", "The other side has one good fact: "),
    case_closing={
        1: (
            "That does not outweigh the rest, and I argue for the upside with {conviction} conviction.",
            "I have weighed it, and the upside remains my side, with {conviction} conviction.",
        ),
        -1: (
            "That does not outweigh the rest, and I argue for the downside with {conviction} conviction.",
            "I have weighed it, and the downside remains my side, with {conviction} conviction.",
        ),
        0: ("I have weighed it with {conviction} conviction.",),
    },
    consensus={
        "with": ("The analysts' consensus points the same way.", "The four reports, put together, reach the same side."),
        "against": (
            "The analysts' consensus points the other way, so the facts have to do the work.",
            "The reports lean against me; I answer with the record.",
        ),
        "none": ("The analysts' consensus takes no side, which leaves the debate open.",),
    },
    answer=(
        "The bull chose his facts well, yet the ones he left out weigh more.",
        "The bull has spoken; what follows is what he passed over.",
        "The bull's case is heard, and it is the smaller half of the record.",
    ),
    position_opening={
        1: (
            "The case for keeping this position rests on what was measured.",
            "There are measured reasons to stay, and they can be counted.",
        ),
        -1: ("The case for less exposure rests on what was measured.", "There are measured reasons to leave, and they can be counted."),
        0: ("The case rests on what was measured.",),
    },
    position_stands={
        1: ("What the position itself shows works for my side.", "The position has earned its place in this argument."),
        -1: ("What the position itself shows deserves a hard look.", "The position is where the argument has to be settled."),
        0: ("The position itself is part of the evidence.",),
    },
    position_closing={
        1: (
            "I would give the position room, with {conviction} conviction.",
            "Staying with the position is the better choice, argued with {conviction} conviction.",
        ),
        -1: (
            "I would cut the exposure, with {conviction} conviction.",
            "Leaving, in part or in full, is the better choice, argued with {conviction} conviction.",
        ),
        0: ("I argue this with {conviction} conviction.",),
    },
    judge_opening={
        "BULL": ("The bull carries this debate.", "Having heard both sides, I rule for the bull."),
        "BEAR": ("The bear carries this debate.", "Having heard both sides, I rule for the bear."),
        "NEUTRAL": ("Neither side carries this debate.", "Having heard both sides, I rule for neither."),
        "HOLD": ("The position stays as it is.", "Having heard both sides, I rule for holding."),
        "EXIT": ("The position is to be closed.", "Having heard both sides, I rule for leaving."),
        "SCALE_IN": ("The position has earned more size.", "Having heard both sides, I rule for adding."),
        "PARTIAL_EXIT": ("Part of the position is to be closed.", "Having heard both sides, I rule for taking part of it off."),
    },
    judge_reason={
        1: ("What carried it: ", "The facts that decided: "),
        -1: ("What carried it: ", "The facts that decided: "),
        0: ("On one scale: ", "The record shows this: "),
    },
    judge_against=("Against it stands one fact: ", "On the other scale: ", "The losing side keeps one good point: "),
    judge_closing={
        "BULL": ("The weight is with buyers, by a {margin} margin.",),
        "BEAR": ("The weight is with sellers, by a {margin} margin.",),
        "NEUTRAL": ("The weights are too even for a direction, and an even record is no ground for a trade.",),
        "HOLD": ("Nothing heard here justifies a change, and nothing heard here justifies more risk.",),
        "EXIT": ("The reasons for staying no longer outweigh the reasons for leaving.",),
        "SCALE_IN": ("The market and the position agree, so adding is justified within the limits.",),
        "PARTIAL_EXIT": ("Taking part of it off keeps the idea alive and makes it smaller.",),
    },
    side_unknown="The prompt does not say which way the position points, so no change can be justified.",
    vote_heading="[Vote]",
    sections=("[Decision]", "[Risk management]", "[Adjustment]", "[Reasoning]", "[Key factors]", "[Risk assessment]"),
)

ENGLISH_EXECUTOR = ExecutorWords(
    opening={
        "ENTRY_LONG": (
            "The judge and the analysts agree on the upside, and the risk can be bounded.",
            "Both stages point up, so the entry is taken.",
        ),
        "ENTRY_SHORT": (
            "The judge and the analysts agree on the downside, and the risk can be bounded.",
            "Both stages point down, so the entry is taken.",
        ),
        "WAIT": ("No entry is taken.", "The better trade here is none."),
        "HOLD": ("The position is held unchanged.", "No change is made to the position."),
        "EXIT": ("The position is closed.", "The reasons for holding are used up, so the position is closed."),
        "SCALE_IN": ("The position is added to.", "The judge and the consensus back the position, so it is added to."),
        "PARTIAL_EXIT": ("The position is reduced.", "Part of the position is taken off."),
    },
    plan=("The plan puts the stop at {stop} and the target at {target}.", "Planned levels: stop at {stop}, target at {target}."),
    why_not={
        "nothing": "There is neither a ruling nor a consensus to act on.",
        "neutral": "The judge sees no direction that is worth the risk.",
        "disagree": "The judge and the consensus do not agree, and a split record is no ground for an entry.",
        "confidence": "The combined confidence does not reach the required minimum.",
        "levels": "The record has no level and no range from which a stop could be derived.",
        "reward": "The room to a sensible target does not pay for the distance to a sensible stop.",
        "distance": "A stop beyond structure would be farther away than the limits allow.",
        "unknown_side": "The prompt does not say which way the position points.",
        "judge_hold": "The judge ruled for holding, and nothing in the record overrules him.",
        "weak_exit": "The ruling asks for less exposure, and its confidence covers a part of it.",
        "no_add": "The ruling asks for more size, and the confidence behind it does not cover that.",
        "judge": "The judge's ruling is followed.",
    },
    factors={
        "agree": "Judge and consensus agree on the direction",
        "split": "Judge and consensus disagree",
        "ruling": "The judge's ruling after hearing both sides",
        "no_ruling": "No ruling from a judge is on record",
        "stop": "The stop lies beyond structure with a volatility margin",
        "reward": "The reward pays for the risk by the required ratio",
        "thin": "The reward does not pay for the risk",
        "limits": "Leverage and stop distance stay within the limits",
        "confidence": "Confidence falls short of the minimum",
        "capital": "Capital is kept for a clearer record",
        "giveback": "Open gains and what was given back",
        "corrected": "Checked values were used, not original statements",
        "exposure": "Exposure fits what the debate can justify",
    },
    risk={
        "ENTRY_LONG": ("The risk is a slide through the stop; the size follows from that distance, and the loss is known beforehand.",),
        "ENTRY_SHORT": ("The risk is a squeeze through the stop; the size follows from that distance, and the loss is known beforehand.",),
        "WAIT": ("The risk is a missed move, which costs nothing but patience.",),
        "HOLD": ("The risk is giving back open gains; the existing protection stays in place.",),
        "EXIT": ("The risk is leaving early; a new entry stays possible on a new record.",),
        "SCALE_IN": ("The risk is a larger position in a reversal; the addition stays within the limits.",),
        "PARTIAL_EXIT": ("The risk is split: the rest still works, and a reversal costs less.",),
    },
    penalty="Fact checking lowered the confidence.",
)
