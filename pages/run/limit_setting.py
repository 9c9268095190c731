"""Where it can be changed what stood in the way: the setting of a breached limit, or the page on which a model is connected."""

from typing import Final

from markupsafe import Markup

from engine.domain.risk import limits_in, setting_of
from engine.domain.text.reason import within
from pages.frame.escape import markup
from pages.frame.show import Show

_OF_CONNECTION: Final = frozenset(
    {
        "key_refused", "key_refused_or_not_allowed", "model_or_path_unknown", "nothing_answers_at", "there_is_no_openai_api_key",
        "openai_api_key_holds_characters_that_no_key_has", "openai_base_url_is_not_http_address", "no_connection_to_in_time",
        "connection_to_failed", "connection_to_failed_or_broke", "endpoint_or_proxy_address_is_not_valid",
        "account_behind_openai_api_key_has_no_quota_left", "tribunal_prices_has_no_price_for", "exchange_needs_keys_to_trade",
    }
)  # fmt: skip
"""Reasons that lie in a key, an endpoint or a price."""


def limit_setting(text: str, show: Show) -> Markup:
    """Return the settings of the limits that a reason names, with a link to the page that shows them, and a link to where a model is
    connected for one that lies in that; "" for any other."""
    names = dict.fromkeys(name for rule in limits_in(text) if (name := setting_of(rule)) is not None)
    gap = "" if show.language == "zh" else " "
    if not names:
        return markup("{}{}", gap, connect_link(show)) if any(each.key in _OF_CONNECTION for each in within(text)) else Markup()
    listed = Markup(", ").join(markup('<span class="tb-mono">{}</span>', name) for name in names)
    link = markup('<a href="./settings?lang={}" target="_self">{}</a>', show.language, show.say("nav_settings"))
    return markup("{}{} {} · {}", gap, show.say("limit_set_by"), listed, link)


def connect_link(show: Show) -> Markup:
    """Return the way to the page on which a model is connected."""
    return markup('<a href="./connect?lang={}" target="_self">{}</a>', show.language, show.say("look_at_connect"))
