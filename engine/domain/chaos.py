"""One lie on purpose: who states it, and what kind it is. `bull:value`, `trend:state`."""

from typing import Literal, get_args

from engine.domain.errors import BadInput
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Reason

ChaosKind = Literal["value", "timeframe", "price", "symbol", "state"]
"""value: an indicator's value, shifted. timeframe: the value of another timeframe (where there is one). price: the price times ten.
symbol: the price of some other market. state: a reading in words, turned round."""

CHAOS_KINDS: tuple[ChaosKind, ...] = get_args(ChaosKind)


class Chaos(FrozenModel):
    """role: one of the run's flow (`bull`), wherever it speaks."""

    role: str
    kind: ChaosKind

    @classmethod
    def parse(cls, text: str, roles: tuple[str, ...]) -> "Chaos":
        """Read `ROLE:KIND`. roles: those there are. Raises BadInput with the words that are possible."""
        role, _, kind = (part.strip().lower() for part in text.partition(":"))
        if role not in roles:
            raise BadInput(Reason("chaos_role_is_not_known", role=f"{role[:40]!r}", roles=", ".join(roles)))
        for known in CHAOS_KINDS:
            if kind == known:
                return cls(role=role, kind=known)
        raise BadInput(Reason("chaos_kind_is_not_known", kind=f"{kind[:40]!r}", chaos_kinds=", ".join(CHAOS_KINDS)))
