"""The row of the model: a hosted endpoint or a server on this machine, its models, a test, and using it from now on."""

from collections.abc import Sequence
from typing import Final

import streamlit as st
from markupsafe import Markup

from engine.api import Engine, all_seats
from engine.api.connections import MODEL_KEY
from engine.domain.connection import DEFAULT_ADDRESS, FoundServer, ListedModel, ModelTest
from pages.connect.check import check_lines
from pages.connect.pieces import RowState, host_of, leaves, outside_message, row_head, set_outside
from pages.frame import numbers
from pages.frame.cards import level, message
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.page_style import run_action
from pages.frame.show import Show
from pages.run.cost_lines import figure

FOUND: Final = "connect-found"
"""What answered on this machine when this visitor looked last."""
_LISTED: Final = "connect-listed"
_TESTED: Final = "connect-tested"
SAID: Final = "connect-said"
"""What was done, to be said once by the next drawing of the page."""
_HOSTED, _SCRIPT = "hosted", "scripted"
_POLL_S: Final = 0.5
_ENDPOINT: Final = (MODEL_KEY, "OPENAI_BASE_URL", "TRIBUNAL_MODEL")


def model_head(engine: Engine, show: Show) -> Markup:
    """Return the line of the row."""
    model, test = engine.settings.default_model, tested(engine)
    if model == _SCRIPT:
        return row_head(show.say("cn_model"), show.say("cn_scripted"), show.say("cn_scripted_means"), "demo", show)
    rest = show.say("cn_at", model="", host=host_of(engine.connections.address)).strip()
    return row_head(show.say("cn_model"), model, rest, model_state(test), show, outside=set_outside(engine, *_ENDPOINT))


def tested(engine: Engine) -> ModelTest | None:
    """Return the last test of the model that is asked now."""
    return engine.connections.last_test(engine.settings.default_model)


def model_state(test: ModelTest | None) -> RowState:
    """Return how a model is, by its last test."""
    return test.state if test is not None else "untested"


def model_leaves(engine: Engine, show: Show) -> Markup:
    """Return what the model is sent, and where that is."""
    say, address = show.say, engine.connections.address
    if engine.settings.default_model == _SCRIPT:
        return leaves(say("cn_leaves_nothing"), "", show)
    if engine.connections.is_local:
        return leaves(say("cn_leaves_nothing"), say("cn_leaves_local"), show)
    return leaves(say("cn_leaves_model"), say("cn_leaves_model_to", host=host_of(address)), show)


def draw_model(engine: Engine, who: str, show: Show) -> None:
    """Draw the row's body: where to find models, which one, what a test says of it."""
    if fixed := set_outside(engine, MODEL_KEY, "OPENAI_BASE_URL"):
        draw_html(outside_message(fixed, show))
    source = _source(engine, show)
    if source == _SCRIPT:
        if engine.settings.default_model != _SCRIPT and st.button(show.say("cn_use_script"), key="connect-script", width="content"):
            run_action(lambda: engine.connections.use_script(who))
        return
    hosted = source == _HOSTED
    server = _hosted(engine, who, show) if hosted else next(each for each in _found() if each.kind == source)
    _choose(engine, who, server, show)


def find_servers(engine: Engine, show: Show) -> None:
    """Ask the known ports of this machine, and keep what answered with this visit."""
    with st.spinner(show.say("cn_looking")):
        st.session_state[FOUND] = engine.connections.find_servers()


def _found() -> Sequence[FoundServer]:
    found: Sequence[FoundServer] = st.session_state.get(FOUND, ())
    return found


def _source(engine: Engine, show: Show) -> str:
    """Let the reader choose where the model is; servers that list none can be seen, and are not offered."""
    say, servers = show.say, _found()
    usable = {server.kind: server for server in servers if server.speakers}
    options = [_HOSTED, *usable, _SCRIPT]
    words = {_HOSTED: say("cn_hosted"), _SCRIPT: say("cn_scripted")} | {
        kind: f"{kind} :{host_of(server.address).rpartition(':')[2]}" for kind, server in usable.items()
    }
    captions = [say("cn_hosted_means"), *(_caption(server, show) for server in usable.values()), say("cn_scripted_means")]
    here = next((kind for kind, server in usable.items() if server.address == engine.connections.address), None)
    start = options.index(here) if here is not None else options.index(next(iter(usable), _HOSTED))
    with st.container(key="connect-source", horizontal=True, vertical_alignment="bottom"):
        source = str(
            st.radio(say("cn_source"), options, start, format_func=words.__getitem__, captions=captions, key=f"connect-from-{len(usable)}")
        )
        if st.button(say("cn_look"), key="connect-look", width="content"):
            find_servers(engine, show)
            st.rerun()
    if others := [server for server in servers if not server.speakers]:
        draw_html(markup('<ul class="tb tb-opt">{}</ul>', joined(_not_usable(server, show) for server in others)))
    return source


def _caption(server: FoundServer, show: Show) -> str:
    say, names = show.say, [model.name for model in server.speakers]
    count = say("cn_found_1") if len(names) == 1 else say("cn_found_n", n=len(names))
    mute = [model.name for model in server.models if not model.speaks]
    said = [count, show.say("list_comma").join(names[:3])]
    return " · ".join([*said, *([say("cn_mute", names=say("list_comma").join(mute[:2]))] if mute else [])])


def _not_usable(server: FoundServer, show: Show) -> Markup:
    say = show.say
    state, words = {
        "not_reached": ("not_reached", say("cn_start_it")),
        "key_refused": ("key_refused", server.words),
        "no_models": ("useless", say("cn_not_a_model")),
        "answers": ("useless", say("cn_found_none")),
    }[server.state]
    port = host_of(server.address).rpartition(":")[2]
    sign = {"not_reached": "○", "key_refused": "✕"}.get(state, "!")
    return markup('<li><b>{} {}</b> <span class="tb-muted">:{} · {}</span></li>', sign, server.kind, port, words)


def _hosted(engine: Engine, who: str, show: Show) -> FoundServer | None:
    """Draw the form of a hosted endpoint; gives what it listed."""
    say, kept = show.say, engine.connections.kept(MODEL_KEY)
    fixed = bool(set_outside(engine, MODEL_KEY, "OPENAI_BASE_URL"))
    now = engine.connections.address
    with st.form("connect-hosted", border=False, clear_on_submit=False):
        left, right = st.columns([5, 4])
        address = left.text_input(say("cn_address"), now, key="connect-address", disabled=fixed, max_chars=300, placeholder=DEFAULT_ADDRESS)
        key = right.text_input(
            say("cn_key"),
            type="password",
            key=f"connect-key-{st.session_state.get('connect-key-n', 0)}",
            placeholder="•" * 12 + f"  {say('cn_key_kept')}" if kept.is_set else say("cn_key_new"),
            autocomplete="new-password",
            disabled=fixed,
            max_chars=500,
            help=say("cn_key_moves"),
        )
        asked = st.form_submit_button(say("cn_list"), key="connect-list")
    if asked:
        run_action(lambda: _ask_for_list(engine, address, key, show))
    if kept.is_set and not fixed and st.button(say("cn_forget"), key="connect-forget", type="tertiary", width="content"):
        run_action(lambda: _forget(engine, who, show))
    listed: FoundServer | None = st.session_state.get(_LISTED)
    if listed is not None and listed.address != address.strip().rstrip("/"):
        return None
    if listed is not None:
        draw_html(_list_said(listed, show))
    return listed


def _forget(engine: Engine, who: str, show: Show) -> None:
    engine.connections.forget([MODEL_KEY], who)
    st.session_state[SAID] = show.say("cn_forgotten")


def _ask_for_list(engine: Engine, address: str, key: str, show: Show) -> None:
    """Ask for the models, and let the browser forget what was typed."""
    st.session_state.pop(_LISTED, None)
    with st.spinner(show.say("cn_list")):
        st.session_state[_LISTED] = engine.connections.models(address, key)
    st.session_state["connect-key-n"] = st.session_state.get("connect-key-n", 0) + 1


def _list_said(listed: FoundServer, show: Show) -> Markup:
    say, host = show.say, host_of(listed.address)
    words = show.translated(listed.words)
    if listed.state == "answers":
        return markup('<p class="tb tb-lab" role="status">{}</p>', say("cn_listed", host=host, n=len(listed.models)))
    if listed.state == "key_refused":
        return message(say("cn_list_refused", host=host, words=words), say("cn_list_refused_do"), bad=True)
    if listed.state == "no_models":
        return message(say("cn_list_none", host=host, words=words).strip(), say("cn_list_none_do"))
    return message(say("cn_list_silent", host=host, words=words), say("cn_list_silent_do"), bad=True)


def _choose(engine: Engine, who: str, server: FoundServer | None, show: Show) -> None:
    """Draw the choice of a model, its test and its use."""
    say = show.say
    address = server.address if server is not None else engine.connections.address
    known = {model.name: model for model in (server.speakers if server is not None else ())}
    now = engine.settings.default_model
    options = list(known) or ([now] if now != _SCRIPT else [])
    if (server is None and not options) or (server is not None and server.state in ("key_refused", "not_reached")):
        return
    with st.container(key="connect-choice", horizontal=True, vertical_alignment="bottom"):
        start = options.index(now) if now in options else 0 if options else None
        model = st.selectbox(
            say("cn_choose_model"), options, start, accept_new_options=True, key=f"connect-model-{address}-{len(options)}", width=300
        )
        progress = engine.connections.test_progress()
        goes_on = progress is not None and progress.goes_on
        if model and not goes_on and st.button(say("cn_test"), key="connect-test", width="content", help=say("cn_test_means")):
            context = known[model].context if model in known else None
            run_action(lambda: _begin_test(engine, address, str(model), context, show))
    if not model:
        return
    if goes_on:
        st.fragment(_test_goes_on, run_every=_POLL_S)(engine, show)
        return
    result = progress.result if progress is not None else None
    if progress is not None and progress.error and st.session_state.get(_TESTED) == progress.model:
        draw_html(message(show.translated(progress.error), bad=True))
    is_result = result is not None and (result.model, result.address) == (model, address)
    shown = result if is_result else engine.connections.test_of(address, model)
    if shown is not None:
        draw_html(test_result(engine, shown, show))
    _use(engine, who, address, known.get(str(model)) or ListedModel(name=str(model)), shown, show)


def _begin_test(engine: Engine, address: str, model: str, context: int | None, show: Show) -> None:
    st.session_state[_TESTED] = model
    engine.connections.start_test(address, model, context=context, language=show.language)


def _test_goes_on(engine: Engine, show: Show) -> None:
    progress = engine.connections.test_progress()
    if progress is None or not progress.goes_on:
        st.rerun()
    said = show.say("cn_testing", model=progress.model, step=progress.step, steps=progress.steps)
    draw_html(markup('<p class="tb tb-muted" role="status">{}</p>', said))
    if st.button(show.say("cn_stop"), key="connect-test-stop", width="content"):
        engine.connections.stop_test()


def _use(engine: Engine, who: str, address: str, model: ListedModel, test: ModelTest | None, show: Show) -> None:
    """Draw for whom the model is, its price, and the button that makes new runs ask it."""
    say, name = show.say, model.name
    titles = _roles(engine, show)
    fine = test is not None and test.state == "works"
    with st.container(key="connect-use", horizontal=True, vertical_alignment="bottom"):
        roles = st.multiselect(
            say("cn_roles"), list(titles), format_func=titles.__getitem__, placeholder=say("cn_all_roles"), help=say("cn_roles_help"),
            key="connect-roles", width=300,
        )  # fmt: skip
        word = say("cn_use" if fine or test is None else "cn_use_anyway", model=name)
        if st.button(word, key="connect-use-model", type="primary" if fine else "secondary", width="content"):
            run_action(lambda: _use_now(engine, who, address, name, roles, test, show))
    price = engine.settings.prices.get(name, (None, None))
    with st.form("connect-price", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        sent = st.number_input(say("cn_price_sent"), 0.0, value=price[0], format="%g", key=f"price-sent-{name}", width=220)
        received = st.number_input(say("cn_price_received"), 0.0, value=price[1], format="%g", key=f"price-received-{name}", width=220)
        if st.form_submit_button(say("cn_price_keep"), key="connect-price-keep") and sent is not None and received is not None:
            run_action(lambda: engine.connections.set_price(name, sent, received, who))


def _use_now(engine: Engine, who: str, address: str, model: str, roles: Sequence[str], test: ModelTest | None, show: Show) -> None:
    engine.connections.use_model(address, model, who, roles=roles, suited=test.settings if test is not None else None)
    st.session_state[SAID] = show.say("cn_used", model=model)
    st.session_state.pop(_LISTED, None)


def _roles(engine: Engine, show: Show) -> dict[str, str]:
    """Return role -> its name, of every desk."""
    return {seat.role: seat.title[show.language] for seat in all_seats()}


def test_result(engine: Engine, test: ModelTest, show: Show) -> Markup:
    """Return what a test found: its figures, why it cannot be used, what suits it."""
    say = show.say
    cost = engine.costs.expected("decision", test)
    yes = {True: say("cn_yes"), False: say("cn_no"), None: numbers.DASH}
    context = numbers.number(test.context) if test.context is not None else say("cn_test_unsaid")
    per_s = say("cn_test_per_s", n=numbers.number(test.tokens_per_s, 0)) if test.tokens_per_s is not None else numbers.DASH
    figures = [
        (say("cn_test_first"), numbers.seconds(test.first_word_s)),
        (say("cn_test_writes"), per_s),
        (say("cn_test_context"), context),
        (say("cn_test_format"), say("cn_test_of", n=test.format_kept, of=test.format_asked) if test.format_asked else numbers.DASH),
        (say("cn_test_tools"), yes[test.tools]),
        (say("cn_test_schema"), yes[test.schema_kept]),
        (say("cn_test_streams"), yes[test.streams]),
    ]
    small = say("cn_estimated")
    if cost is not None:
        figures.append((say("cn_test_run_takes"), figure(cost, "time", "median")))
        figures.append((say("cn_test_run_costs"), figure(cost, "money", "median") if cost.money is not None else say("cn_no_price")))
    levels = joined(level(name, value, small if place >= 7 else "") for place, (name, value) in enumerate(figures))
    parts = [markup('<div class="tb tb-lev small" role="status">{}</div>', levels)] if test.tokens_per_s is not None else []
    if test.state != "works":
        parts.insert(0, message(_sentence(show.translated(test.words)), _sentence(test.what_to_do), bad=test.state != "useless"))
    if test.called:
        parts.append(message(say("cn_called", name=test.called)))
    if test.settings:
        listed = " · ".join(f"{name}={value}" for name, value in test.settings.items())
        parts.append(markup('<p class="tb tb-lab">{} <span class="tb-mono">{}</span></p>', say("cn_suited"), listed))
    if test.lines:
        parts.append(markup('<details class="tb"><summary>{}</summary>{}</details>', say("cn_all_lines"), check_lines(test.lines, show)))
    return joined(parts)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if not text or text.endswith((".", "。")) else ".")
