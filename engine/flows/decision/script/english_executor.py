"""English for the executor: how it decides, plans and names the risk. Opinion only, as for the other roles."""

from engine.flows.decision.script.lexicon import ExecutorWords

ENGLISH_EXECUTOR = ExecutorWords(
    opening={
        "ENTRY_LONG": (
            "The judge and the analysts agree on the upside, and the risk can be bounded.",
            "Both stages point up, so the entry is taken.",
            "I go with buyers: ruling and reports meet there.",
            "Long it is; the ruling and the consensus say one thing, and the risk has a floor.",
        ),
        "ENTRY_SHORT": (
            "The judge and the analysts agree on the downside, and the risk can be bounded.",
            "Both stages point down, so the entry is taken.",
            "I go with sellers: ruling and reports meet there.",
            "Short it is; the ruling and the consensus say one thing, and the risk has a ceiling.",
        ),
        "WAIT": ("No entry is taken.", "The better trade here is none.", "I stay out.", "Nothing is bought or sold on this record."),
        "HOLD": (
            "The position is held unchanged.",
            "No change is made to the position.",
            "I leave the position alone.",
            "The position goes on as it is.",
        ),
        "EXIT": (
            "The position is closed.",
            "The reasons for holding are used up, so the position is closed.",
            "I am closing the position.",
            "It is time to be out of this position.",
        ),
        "SCALE_IN": (
            "The position is added to.",
            "The judge and the consensus back the position, so it is added to.",
            "I am adding to the position.",
            "The position gets more size.",
        ),
        "PARTIAL_EXIT": (
            "The position is reduced.",
            "Part of the position is taken off.",
            "I am making the position smaller.",
            "A share of the position goes.",
        ),
    },
    plan=("The plan puts the stop at {stop} and the target at {target}.", "Planned levels: stop at {stop}, target at {target}."),
    why_not={
        "nothing": "There is neither a ruling nor a consensus to act on.",
        "neutral": "The judge sees no direction that is worth the risk.",
        "disagree": "The judge and the consensus do not agree, and a split record is no ground for an entry.",
        "confidence": "The combined confidence does not reach the required minimum.",
        "levels": "The record has no level and no range from which a stop could be derived.",
        "reward": "The room to a sensible target does not pay for the distance to a sensible stop.",
        "costs": "A target within reach would not pay for fees and slippage beside that stop.",
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
        "reward": "The reward pays for the risk by the required ratio, after costs too",
        "thin": "The reward does not pay for the risk",
        "costs": "After costs the reward does not pay for the risk",
        "limits": "Leverage and stop distance stay within the limits",
        "confidence": "Confidence falls short of the minimum",
        "capital": "Capital is kept for a clearer record",
        "giveback": "Open gains and what was given back",
        "corrected": "Checked values were used, not original statements",
        "exposure": "Exposure fits what the debate can justify",
    },
    risk={
        "ENTRY_LONG": (
            "The risk is a slide through the stop; the size follows from that distance, and the loss is known beforehand.",
            "What can go wrong is a fast fall through the stop; the size was cut to that distance.",
            "A slide through the stop is the risk taken here, and its price was worked out beforehand.",
        ),
        "ENTRY_SHORT": (
            "The risk is a squeeze through the stop; the size follows from that distance, and the loss is known beforehand.",
            "What can go wrong is a fast squeeze through the stop; the size was cut to that distance.",
            "A squeeze through the stop is the risk taken here, and its price was worked out beforehand.",
        ),
        "WAIT": (
            "The risk is a missed move, which costs nothing but patience.",
            "What can go wrong is that the market leaves without us, and that costs no money.",
            "Standing aside has one price: the move that happens without us.",
        ),
        "HOLD": (
            "The risk is giving back open gains; the existing protection stays in place.",
            "What can go wrong is that open gains melt; the protection is where it was.",
            "Holding has one price: gains that go back, down to the protection that stands.",
        ),
        "EXIT": (
            "The risk is leaving early; a new entry stays possible on a new record.",
            "What can go wrong is that the market goes on without us; the door back in stays open.",
            "Leaving has one price: the part of the move that is still to come.",
        ),
        "SCALE_IN": (
            "The risk is a larger position in a reversal; the addition stays within the limits.",
            "What can go wrong is a turn against a bigger position; the limits bound how big.",
            "Adding has one price: a turn now costs more, within the limits.",
        ),
        "PARTIAL_EXIT": (
            "The risk is split: the rest still works, and a reversal costs less.",
            "What can go wrong counts for less now, and what can go right as well.",
            "Trimming has one price: less is left for the move that was hoped for.",
        ),
    },
    penalty="Fact checking lowered the confidence.",
)
