"""English for the roles: how they open, concede, rule and close. Opinion only: no sentence here can be true or false of the market."""

from engine.flows.decision.script.lexicon import RoleWords

ENGLISH_ROLES = RoleWords(
    openings={
        "indicator": {
            1: (
                "The gauges, taken together, lean to the upside.",
                "Read side by side, the oscillators and trend gauges give buyers the edge.",
                "I went through the gauges one at a time, and more of them side with buyers.",
                "Momentum first: it is buyers who have it.",
            ),
            -1: (
                "The gauges, taken together, lean to the downside.",
                "Read side by side, the oscillators and trend gauges give sellers the edge.",
                "I went through the gauges one at a time, and more of them side with sellers.",
                "Momentum first: it is sellers who have it.",
            ),
            0: (
                "The gauges pull in both directions and cancel out.",
                "Read side by side, the oscillators and trend gauges reach no verdict.",
                "I went through the gauges one at a time, and they cancel out.",
                "Momentum first: today nobody has it.",
            ),
        },
        "trend": {
            1: (
                "Structure comes first, and here it works for buyers.",
                "The averages and the levels line up more for buyers than against them.",
                "The long view decides a trend, and the long view is with buyers.",
                "I start from the map of averages and levels; it is a buyers' map.",
            ),
            -1: (
                "Structure comes first, and here it works for sellers.",
                "The averages and the levels line up more for sellers than against them.",
                "The long view decides a trend, and the long view is with sellers.",
                "I start from the map of averages and levels; it is a sellers' map.",
            ),
            0: (
                "Structure comes first, and here it is contested.",
                "The averages and the levels do not agree on a direction.",
                "The long view decides a trend, and today it declines to.",
                "I start from the map of averages and levels; it shows a standoff.",
            ),
        },
        "sentiment": {
            1: (
                "Positioning and participation open the door to the upside.",
                "The mood of the market, read against the flow, favours buyers.",
                "Who is in, who is late, who is scared: the answers help buyers.",
                "Crowds err at the edges, and this one leaves buyers an opening.",
            ),
            -1: (
                "Positioning and participation open the door to the downside.",
                "The mood of the market, read against the flow, favours sellers.",
                "Who is in, who is late, who is scared: the answers help sellers.",
                "Crowds err at the edges, and this one leaves sellers an opening.",
            ),
            0: (
                "Positioning and participation are balanced.",
                "The mood of the market, read against the flow, gives no direction.",
                "Who is in, who is late, who is scared: the answers do not add up to a side.",
                "Crowds err at the edges, and this one sits in the middle.",
            ),
        },
        "pattern": {
            1: (
                "The candles and the location favour buyers.",
                "Price action, set against its bands and levels, tilts to the upside.",
                "The tape itself leans to buyers, candle by candle.",
                "What the candles wrote last reads better for buyers.",
            ),
            -1: (
                "The candles and the location favour sellers.",
                "Price action, set against its bands and levels, tilts to the downside.",
                "The tape itself leans to sellers, candle by candle.",
                "What the candles wrote last reads better for sellers.",
            ),
            0: (
                "The candles and the location leave the matter open.",
                "Price action, set against its bands and levels, is undecided.",
                "The tape itself hesitates, candle by candle.",
                "What the candles wrote last can be read both ways.",
            ),
        },
        "": {
            1: (
                "The measured facts at hand favour buyers.",
                "Taken one by one, these facts tilt to the upside.",
                "I count what was measured, and buyers come out ahead.",
                "The list of facts is short, and buyers own most of it.",
            ),
            -1: (
                "The measured facts at hand favour sellers.",
                "Taken one by one, these facts tilt to the downside.",
                "I count what was measured, and sellers come out ahead.",
                "The list of facts is short, and sellers own most of it.",
            ),
            0: (
                "The measured facts at hand do not point one way.",
                "Taken one by one, these facts balance out.",
                "I count what was measured, and nobody comes out ahead.",
                "The list of facts is short, and it has no owner.",
            ),
        },
    },
    closings={
        1: (
            "On balance I vote for the upside with {conviction} conviction; a turn in the facts named here would change that view.",
            "Weighing all of this, the upside is the better side, held with {conviction} conviction.",
            "So my vote goes to the upside, and my conviction is {conviction}.",
            "I come down on the buyers' side here; conviction: {conviction}.",
            "The upside gets my vote, with {conviction} conviction and no more than that.",
            "Count me with the upside, {conviction} conviction.",
        ),
        -1: (
            "On balance I vote for the downside with {conviction} conviction; a turn in the facts named here would change that view.",
            "Weighing all of this, the downside is the better side, held with {conviction} conviction.",
            "So my vote goes to the downside, and my conviction is {conviction}.",
            "I come down on the sellers' side here; conviction: {conviction}.",
            "The downside gets my vote, with {conviction} conviction and no more than that.",
            "Count me with the downside, {conviction} conviction.",
        ),
        0: (
            "On balance I stay neutral: forcing a direction out of this would be a guess.",
            "Weighing all of this, neither side has earned a vote, and patience costs nothing.",
            "I give my vote to nobody today.",
            "No side has convinced me, and I will not invent a reason.",
            "Put me down as neutral; the material does not carry a bet.",
            "Neutral it is, and without regret.",
        ),
    },
    missing={
        "oi_change_pct": "Open interest is missing from this feed and is left out, not guessed.",
        "funding_rate_pct": "The funding rate is missing from this feed and is left out, not guessed.",
        "fear_greed": "The Fear & Greed index is missing from this feed and is left out, not guessed.",
    },
    nothing="The prompt holds no measured facts that I can read, so I state none and take no side.",
    pattern={
        1: (
            "A bullish {name} completed {age}, and buyers own that candle.",
            "The candles show a bullish {name} {age}, a mark of demand.",
            "A bullish {name} stands {age}; that is buyers at work.",
            "Note the bullish {name} {age}: buyers left their signature there.",
        ),
        -1: (
            "A bearish {name} completed {age}, and sellers own that candle.",
            "A bearish {name} stands {age}; that is sellers at work.",
            "Note the bearish {name} {age}: sellers left their signature there.",
            "The candles show a bearish {name} {age}, a mark of supply.",
        ),
        0: (
            "The {name} that completed {age} is a pause and not a signal.",
            "The {name} {age} speaks of hesitation.",
            "There is a {name} {age}, and it decides nothing.",
            "Somebody paused {age}: a {name}.",
        ),
    },
    no_pattern=(
        "No candlestick pattern is listed, so the bands and levels carry this report.",
        "The list of candlestick patterns is empty.",
    ),
    ages=("on the latest closed bar", "within the last few bars", "earlier in this window"),
    conviction=("modest", "moderate", "solid", "high"),
    margin=("narrow", "clear", "wide"),
    case_opening={
        1: (
            "The case for the upside rests on what was measured.",
            "Buyers have the better arguments here, and they can be counted.",
            "I take the buyers' side, and I will show my work.",
            "Let me put the long case plainly.",
            "Buyers are worth backing here, and I will say why.",
        ),
        -1: (
            "The case for the downside rests on what was measured.",
            "Sellers have the better arguments here, and they can be counted.",
            "I take the sellers' side, and I will show my work.",
            "Let me put the short case plainly.",
            "Sellers are worth backing here, and I will say why.",
        ),
        0: ("The case rests on what was measured.",),
    },
    case_weak={
        1: (
            "The record offers buyers little, and I will not pretend otherwise.",
            "An honest bull has thin material today.",
            "I argue the long side with what little there is.",
            "Buyers will have to make do with this.",
        ),
        -1: (
            "The record offers sellers little, and I will not pretend otherwise.",
            "An honest bear has thin material today.",
            "I argue the short side with what little there is.",
            "Sellers will have to make do with this.",
        ),
        0: ("The record is thin.",),
    },
    case_concession=(
        "To be fair to the other side, ",
        "What speaks against me is this: ",
        "The other side has one good fact: ",
        "I grant the other side this much: ",
        "One thing I cannot argue away: ",
    ),
    case_closing={
        1: (
            "That does not outweigh the rest, and I argue for the upside with {conviction} conviction.",
            "I have weighed it, and the upside remains my side, with {conviction} conviction.",
            "That is the long case, and I make it with {conviction} conviction.",
            "I would rather be long than explain why I was not; conviction {conviction}.",
            "By my count the long side wins; I say so with {conviction} conviction.",
        ),
        -1: (
            "That does not outweigh the rest, and I argue for the downside with {conviction} conviction.",
            "I have weighed it, and the downside remains my side, with {conviction} conviction.",
            "That is the short case, and I make it with {conviction} conviction.",
            "I would rather be short than explain why I was not; conviction {conviction}.",
            "By my count the short side wins; I say so with {conviction} conviction.",
        ),
        0: ("I have weighed it with {conviction} conviction.",),
    },
    consensus={
        "with": (
            "The analysts' consensus points the same way.",
            "The four reports, put together, reach the same side.",
            "I am not alone in this: the analysts came to it before me.",
            "The desk's own count agrees with me.",
        ),
        "against": (
            "The analysts' consensus points the other way, so the facts have to do the work.",
            "The reports lean against me; I answer with the record.",
            "The desk's count goes against me, and counts can be answered.",
            "I stand against the analysts today, and I know it.",
        ),
        "none": (
            "The analysts' consensus takes no side, which leaves the debate open.",
            "The analysts could not agree, so the debate has to settle it.",
            "No help comes from the consensus; it sits on the fence.",
        ),
    },
    answer=(
        "The bull chose his facts well, yet the ones he left out weigh more.",
        "The bull has spoken; what follows is what he passed over.",
        "The bull's case is heard, and it is the smaller half of the record.",
        "I listened to the bull; here is the part of the story he left in the drawer.",
        "My colleague tells it well, and tells half of it.",
    ),
    position_opening={
        1: (
            "The case for keeping this position rests on what was measured.",
            "There are measured reasons to stay, and they can be counted.",
            "I would keep this trade, and I will say why.",
            "Let me speak for the trade we have.",
        ),
        -1: (
            "The case for less exposure rests on what was measured.",
            "There are measured reasons to leave, and they can be counted.",
            "I would lighten this trade, and I will say why.",
            "Let me speak for the money at risk.",
        ),
        0: ("The case rests on what was measured.",),
    },
    position_stands={
        1: (
            "What the position itself shows works for my side.",
            "The position has earned its place in this argument.",
            "Now the trade itself, which is the best witness I have.",
            "Look at what the trade has done so far.",
        ),
        -1: (
            "What the position itself shows deserves a hard look.",
            "The position is where the argument has to be settled.",
            "Now the trade itself, which is where it hurts.",
            "Look at what the trade has cost in nerves.",
        ),
        0: ("The position itself is part of the evidence.",),
    },
    position_closing={
        1: (
            "I would give the position room, with {conviction} conviction.",
            "Staying with the position is the better choice, argued with {conviction} conviction.",
            "Let it work, I say, with {conviction} conviction.",
            "My advice is to stay, and my conviction is {conviction}.",
        ),
        -1: (
            "I would cut the exposure, with {conviction} conviction.",
            "Leaving, in part or in full, is the better choice, argued with {conviction} conviction.",
            "Take risk off, I say, with {conviction} conviction.",
            "My advice is to get smaller, and my conviction is {conviction}.",
        ),
        0: ("I argue this with {conviction} conviction.",),
    },
    judge_opening={
        "BULL": (
            "The bull carries this debate.",
            "Having heard both sides, I rule for the bull.",
            "The ruling goes to the bull.",
            "On this record the bull has it.",
        ),
        "BEAR": (
            "The bear carries this debate.",
            "Having heard both sides, I rule for the bear.",
            "The ruling goes to the bear.",
            "On this record the bear has it.",
        ),
        "NEUTRAL": (
            "Neither side carries this debate.",
            "Having heard both sides, I rule for neither.",
            "The ruling goes to nobody.",
            "On this record I cannot give it to a side.",
        ),
        "HOLD": (
            "The position stays as it is.",
            "Having heard both sides, I rule for holding.",
            "Hold, is the ruling.",
            "Leave it alone, is what I take from this.",
        ),
        "EXIT": (
            "The position is to be closed.",
            "Having heard both sides, I rule for leaving.",
            "Out, is the ruling.",
            "Close it, is what I take from this.",
        ),
        "SCALE_IN": (
            "The position has earned more size.",
            "Having heard both sides, I rule for adding.",
            "Add, is the ruling.",
            "More of it, is what I take from this.",
        ),
        "PARTIAL_EXIT": (
            "Part of the position is to be closed.",
            "Having heard both sides, I rule for taking part of it off.",
            "Less of it, is the ruling.",
            "Trim it, is what I take from this.",
        ),
    },
    judge_reason={
        1: ("What carried it: ", "The facts that decided: "),
        -1: ("What carried it: ", "The facts that decided: "),
        0: ("On one scale: ", "The record shows this: "),
    },
    judge_against=(
        "Against it stands one fact: ",
        "On the other scale: ",
        "The losing side keeps one good point: ",
        "What is left for the other side: ",
        "I note one thing that points elsewhere: ",
    ),
    judge_closing={
        "BULL": (
            "The weight is with buyers, by a {margin} margin.",
            "It is not the louder side that wins here but the longer list; the margin is {margin}.",
            "Buyers win this on the facts, with a {margin} margin.",
        ),
        "BEAR": (
            "The weight is with sellers, by a {margin} margin.",
            "It is not the louder side that wins here but the longer list; the gap is {margin}.",
            "Sellers win this on the facts, with a {margin} margin.",
        ),
        "NEUTRAL": (
            "The weights are too even for a direction, and an even record is no ground for a trade.",
            "Neither list is long enough to put money on.",
            "I have two half cases here and no whole one.",
        ),
        "HOLD": (
            "Nothing heard here justifies a change, and nothing heard here justifies more risk.",
            "Nobody gave me a reason to touch it.",
            "The trade may go on as it was meant.",
        ),
        "EXIT": (
            "The reasons for staying no longer outweigh the reasons for leaving.",
            "The trade has had its chance.",
            "There is nothing left here to wait for.",
        ),
        "SCALE_IN": (
            "The market and the position agree, so adding is justified within the limits.",
            "Trade and market tell one story, and the limits leave room for more of it.",
            "I see no quarrel between the chart and the trade, so there may be more of it.",
        ),
        "PARTIAL_EXIT": (
            "Taking part of it off keeps the idea alive and makes it smaller.",
            "Half a step back is enough here.",
            "The idea survives, in a smaller coat.",
        ),
    },
    side_unknown="The prompt does not say which way the position points, so no change can be justified.",
    vote_heading="[Vote]",
    sections=("[Decision]", "[Risk management]", "[Adjustment]", "[Reasoning]", "[Key factors]", "[Risk assessment]"),
)
