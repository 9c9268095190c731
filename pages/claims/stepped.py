"""The digits of a price that a role stated, to the market's step: what is shown of a verified claim, while its card says all that was said.

Only a price of the market itself that was found true is shortened, and only where what is left is the same price to the step and still so:
a false, moved or unchecked number keeps every digit it was stated with, and so does everything that no one claimed.
"""

import math
import re

from engine.domain.claims import Claim
from pages.frame import numbers
from pages.frame.show import Show

_DECIMAL = re.compile(r"(?<![\w.,:/])(\d[\d,]*)\.(\d+)(?![\w,:/]|[.-]\d)")
_DISTANCES = ("atr",)  # measured in the quote currency, and no price of anything


def to_step(words: str, claim: Claim, show: Show) -> str:
    """Return the words of a claim with its prices cut to the decimals of the market's step, by rounding; the words themselves where no
    price of the market is meant, the step is not known, or what is left would say something else."""
    if show.step is None or show.step <= 0 or claim.verdict != "true" or not _is_price(claim):
        return words
    places, stated = numbers.decimals(0.0, show.step), claim.claimed if isinstance(claim.claimed, tuple) else (claim.claimed,)

    def shortened(found: re.Match[str]) -> str:
        value = float(found[0].replace(",", ""))
        kept = round(value, places)
        is_stated = any(isinstance(each, float) and math.isclose(value, each, rel_tol=1e-9) for each in stated)
        if len(found[2]) <= places or not is_stated or not kept or not _holds(kept, value, claim):
            return found[0]
        text = f"{kept:.{places}f}"
        return f"{int(kept):,}{text[text.find('.') :] if places else ''}" if "," in found[1] else text

    return _DECIMAL.sub(shortened, words)


def _is_price(claim: Claim) -> bool:
    return claim.unit == "price" and not claim.key.rpartition(".")[2].startswith(_DISTANCES)


def _holds(kept: float, value: float, claim: Claim) -> bool:
    """Return whether a shortened value is on the side of the truth, and as near to it, that the claim needs."""
    if not isinstance(claim.actual, float):
        return False
    if claim.relation == "=":
        return claim.tolerance is None or abs(kept - claim.actual) <= max(claim.tolerance, abs(value - claim.actual))
    return (kept - claim.actual) * (value - claim.actual) > 0 or value == claim.actual
