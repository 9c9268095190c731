"""The probes of an installation, made by its settings. Everything that is asked gets connections of its own, closed with the question."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.bootstrap.models import SCRIPTED
from engine.bootstrap.providers import ProviderFactory
from engine.brokers import BROKERS
from engine.brokers.entry import VenueChecks
from engine.diagnostics.home_probe import probe_home, probe_journal
from engine.diagnostics.login_probe import probe_login
from engine.diagnostics.model_probe import ModelTerms, probe_model, scripted_lines
from engine.diagnostics.probe import Probe, Results, line, run_probes
from engine.diagnostics.venue_probe import probe_feed, probe_keys, probe_venue, skipped_keys
from engine.diagnostics.version_probe import probe_versions
from engine.diagnostics.wording import DiagnosticWords
from engine.domain.account_ref import AccountRef
from engine.domain.broker_capabilities import capabilities_of
from engine.domain.diagnostics.result import DiagnosticResult
from engine.domain.diagnostics.venue import VenueStatus
from engine.domain.text.language import Language
from engine.journal.store import Journal
from engine.settings import EnvironmentSettings, Settings

if TYPE_CHECKING:
    from engine.llm.openai import OpenAIModel

ROOT: Final = Path(__file__).parents[2]
_REQUEST_S: Final = 5.0
_BACKOFF_S: Final = 0.2
_MARGIN: Final = 0.9
"""Of the time that a probe has, what its calls may take: so that it can still say why."""


@dataclass(frozen=True)
class Diagnostics:
    """Looks at an installation. Nothing is ordered and nothing is changed."""

    settings: Settings
    journal: Journal
    providers: ProviderFactory
    of_brokers: Mapping[str, EnvironmentSettings]

    async def run(self, within_s: float, language: Language) -> list[DiagnosticResult]:
        """Return what was found, a line each, in a fixed order. within_s: seconds that each part may take; they run at once."""
        words = DiagnosticWords(language)
        return await run_probes(self._probes(within_s, words), within_s, words, self._secrets())

    def _probes(self, within_s: float, words: DiagnosticWords) -> list[Probe]:
        settings, home = self.settings, self.settings.home
        models = dict.fromkeys([settings.default_model, *settings.role_models.values()])
        real_money = capabilities_of(settings.broker).real_money and settings.live == "yes"
        checks = BROKERS[settings.broker].checks
        venue = [Probe("exchange.reached", partial(self._exchange, checks, words))] if checks is not None else []
        journal = partial(probe_journal, self.journal.trouble, self.journal.audit.faults, words)
        login = partial(probe_login, Path.cwd(), settings.public_url, real_money=real_money, words=words)
        return [
            *(Probe("model.reached", partial(self._model, name, words, within_s * _MARGIN)) for name in models),
            Probe("feed.reached", partial(self._feed, words)),
            *venue,
            Probe("keys.accepted", partial(self._keys, checks, words)),
            Probe("home.writable", partial(asyncio.to_thread, probe_home, home, words)),
            Probe("home.audit_chain", partial(asyncio.to_thread, journal)),
            Probe("login", partial(asyncio.to_thread, login)),
            Probe("versions", partial(asyncio.to_thread, probe_versions, ROOT / "requirements.txt", words)),
        ]

    def _secrets(self) -> list[str]:
        """Return what no line may hold."""
        return [secret for each in (self.settings, *self.of_brokers.values()) for secret in each.secrets()]

    async def _model(self, name: str, words: DiagnosticWords, within_s: float) -> Results:
        settings = self.settings
        if name == SCRIPTED:
            return scripted_lines(words)
        if name.startswith("recorded:"):
            return [line("model.reached", "ok", words("model_recorded"))]
        from engine.llm.openai import OpenAIModel  # noqa: PLC0415 - it costs a second, which the scripted model need not wait for

        model = OpenAIModel(
            name,
            api_key=settings.openai_api_key.get_secret_value(),
            base_url=settings.openai_base_url,
            learnt=self.providers.learnt,
            extra=settings.extra_body,
            connect_s=_REQUEST_S,
        )
        model.learn_anew()
        terms = terms_of(settings, name, model)
        try:
            return await probe_model(model, terms, words, within_s)
        finally:
            await model.close()

    async def _feed(self, words: DiagnosticWords) -> Results:
        if self.settings.default_feed == "live":
            return await probe_venue("feed", self._public_status, words)
        return await probe_feed(self.providers.feed(AccountRef(feed=self.settings.default_feed)), words)

    async def _exchange(self, checks: VenueChecks[Any], words: DiagnosticWords) -> Results:
        return await probe_venue("exchange", partial(checks.status, self.settings, self.of_brokers[self.settings.broker]), words)

    async def _keys(self, checks: VenueChecks[Any] | None, words: DiagnosticWords) -> Results:
        if checks is None:
            return skipped_keys(words)
        permissions = partial(checks.permissions, self.settings, self.of_brokers[self.settings.broker])
        return await probe_keys(permissions, words, sandbox=self.settings.live != "yes")

    async def _public_status(self) -> VenueStatus:
        from engine.venue.status import venue_status  # noqa: PLC0415 - ccxt comes with it
        from engine.venue.wire import Wire  # noqa: PLC0415 - late, as above

        settings = self.settings
        wire = await asyncio.to_thread(Wire, settings.exchange, settings.exchange_url, _REQUEST_S, _BACKOFF_S)
        try:
            return await venue_status(wire)
        finally:
            await wire.close()


def terms_of(settings: Settings, name: str, model: "OpenAIModel") -> ModelTerms:
    """Return the settings under which a model is tested. name: the one it has at its endpoint, by which it is priced."""
    return ModelTerms(
        price_known=name in settings.prices,
        cost_is_limited=settings.run_cost is not None or settings.day_cost is not None,
        max_tokens=settings.max_tokens,
        temperature=settings.temperature,
        effort=next(iter(settings.reasoning_effort.values()), None),
        own_options=settings.extra_body,
        streamed=lambda: model.streams,
        learnt=lambda: model.learnt,
    )
