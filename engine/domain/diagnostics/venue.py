"""What exchanges say of themselves and of a key, when an installation is looked at."""

from engine.domain.frozen_model import FrozenModel


class VenueStatus(FrozenModel):
    """What an exchange's public side answers. markets: how many it lists. skew_ms: its clock minus this machine's, milliseconds, None where
    it tells no time. weight_used: what its own counter says of this minute's requests, None where it does not say. requests_per_minute:
    how many this program sends it at most."""

    venue: str
    markets: int
    skew_ms: float | None
    weight_used: int | None
    requests_per_minute: int


class KeyPermissions(FrozenModel):
    """What an exchange says that a key may do. None = it does not say. balances: (currency, free, total) of what the account holds."""

    may_trade: bool | None
    may_withdraw: bool | None
    balances: tuple[tuple[str, float, float], ...] = ()
