"""The frame of every page: who may come in, the navigation with what waits, where orders go, the kill switch, and what must always be said.

`require_login` is called before any page runs, `draw_frame` before the page is drawn.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import NamedTuple

import streamlit as st
from markupsafe import Markup
from streamlit.navigation.page import Page

from engine.api import Engine, InFlightOrder
from engine.domain.audit import AuditRow
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.text.language import Language
from pages.frame import numbers
from pages.frame.cards import message
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html, isolated_page
from pages.frame.language import page_language, spoken_language
from pages.frame.login import is_in, is_open_to_all, login_page, refuse_open_live, refuse_unguarded, who_acts
from pages.frame.page_style import run_action
from pages.frame.shared_engine import get_engine
from pages.frame.tab_title import begin_tab_title, say_tab_title_if_none
from pages.server.static_files import mount
from pages.words.texts import Say, page_text, words_in

_VIEWS = ("approvals", "positions", "journal", "replay", "runs", "connect", "settings")
HOME = "home-page"
"""Under which this visit keeps the page that the product opens with, for `st.switch_page`."""
MOST_LISTED = 200  # newest proposals that are looked through for those that wait
SHOWN_WAITING, SHOWN_HALTED = "shown-waiting", "shown-halted"
"""What the frame of this visitor says: a page that notices otherwise draws everything anew."""
SEEN_LOCKED = "seen-locked"
"""The ids of the proposals that this visitor's pages have last seen locked."""
_TROUBLE = "switch-trouble"
_UNDER_WAY = "halt-met"
_UNPROTECTED_S = 3.0


KEYS = ("r", "e", "a", "x", "j", "k", "space", "esc", "?")
"""In the order they are listed; the words are `key_r` and so on, of the last `key_help`."""


def mount_frame(say: Say, language: Language) -> None:
    """Put the script into the page. It is the same element on every page, so it is mounted once a visit."""
    lines = "\n".join(f"{key}\t{say('key_help' if key == '?' else f'key_{key}')}" for key in KEYS)
    named = {"title": "keys", "ask": "key_ask", "yes": "key_yes", "no": "key_no", "close": "key_close", "skip": "skip_to_page"}
    words = {name: say(word) for name, word in named.items()}
    mount("frame/frame.js", "browser-frame", {"lang": "zh-Hans" if language == "zh" else language, "keys": lines, **words})


class WaitingCount(NamedTuple):
    """Proposals that wait: ready to be signed, locked, and held up because trading is halted."""

    ready: int = 0
    locked: int = 0
    halted: int = 0

    def words(self, say: Say) -> str:
        """Return `2 wait, 1 locked`; "" for none."""
        ready = say("title_wait_1") if self.ready == 1 else say("title_wait_n", n=self.ready) if self.ready else ""
        return say("list_comma").join(part for part in (ready, self.shut_words(say)) if part)

    def shut_words(self, say: Say) -> str:
        """Return `1 locked`, `2 halted`: those that cannot be signed; "" for none."""
        return say("list_comma").join(say(key, n=n) for key, n in (("badge_locked", self.locked), ("badge_halted", self.halted)) if n)


def require_login(desks: Sequence[str]) -> tuple[Engine, Page]:
    """Return the engine, and the page that was asked for. Stops with a clear message where there is no engine or no one has logged in.

    desks: names of the desks' folders in the order of the navigation; the first is at the path "".
    """
    refuse_unguarded()
    engine = get_engine()
    say = words_in(page_language(engine))
    if not is_in():
        pages = [st.Page(partial(login_page, say), title="Tribunal", url_path=path, default=not path) for path in paths_of(desks)]
        st.navigation(pages, position="hidden").run()
        st.stop()
    refuse_open_live(engine, say)
    pages = _pages(engine, say, desks)
    st.session_state[HOME] = pages[0]
    return engine, st.navigation(pages, position="top")


def paths_of(desks: Sequence[str]) -> tuple[str, ...]:
    """Return the path of every page, in the order of the navigation. desks: as in `require_login`."""
    return ("", *desks[1:], *_VIEWS)


def _pages(engine: Engine, say: Say, desks: Sequence[str]) -> list[Page]:
    count = WaitingCount()
    with isolated(say("nav_approvals"), say):  # the navigation isolated, whatever is in the journal
        count = count_waiting(engine)
    st.session_state[SHOWN_WAITING] = count
    first, *others = desks
    scripts = (
        {"": f"desks/{first}/view.py"} | {desk: f"desks/{desk}/view.py" for desk in others} | {view: f"views/{view}.py" for view in _VIEWS}
    )
    names = {path: say(page_word(path)) for path in scripts}
    names["approvals"] += f" **{count.ready}**" if count.ready else ""
    names["approvals"] += f" · {shut}" if (shut := count.shut_words(say)) else ""
    return [st.Page(script, title=names[path], url_path=path or None, default=not path) for path, script in scripts.items()]


def count_waiting(engine: Engine) -> WaitingCount:
    """Return how many proposals wait for an answer; none where the journal cannot say, which the page itself then does."""
    try:
        now = utc_now()
        waiting = {each.id for each in engine.trading.proposals(MOST_LISTED) if each.as_at(now).is_waiting}
        return parted(waiting, halted=bool(waiting) and engine.trading.halted() is not None)
    except TribunalError:
        return WaitingCount()


def parted(waiting: AbstractSet[str], *, halted: bool) -> WaitingCount:
    """Return how many of the proposals that wait can be signed. Locked are those that this visitor's pages have last seen locked: no market
    is asked here."""
    if halted:
        return WaitingCount(halted=len(waiting))
    locked = waiting & st.session_state.get(SEEN_LOCKED, frozenset())
    return WaitingCount(len(waiting) - len(locked), len(locked))


def run_page(engine: Engine, page: Page) -> None:
    """Draw the page that was asked for; what breaks in it is below the frame, and not in its place."""
    say = words_in(page_language(engine))
    begin_tab_title()
    isolated_page(page.run, say)()
    say_tab_title_if_none(say(page_word(page.url_path)))


def draw_frame(engine: Engine, page: Page) -> None:
    """Draw the page's name for those who do not see it, tag and kill switch in the header, and above the page what is true of all of it."""
    language = page_language(engine)
    say = words_in(language)
    mount_frame(say, language)
    with isolated(say("part_frame"), say):
        _frame(engine, who_acts(engine), say, page_heading(page.url_path, say))


def _frame(engine: Engine, who: str, say: Say, name: Markup) -> None:
    try:
        halted, unread = engine.trading.halted(), ""
    except TribunalError as problem:
        halted, unread = None, _translated(problem)
    with st.container(key="frame", horizontal=True, vertical_alignment="center"):
        draw_html(name + isolated_html(say("part_frame"), say, partial(_place_and_waiting, engine, say)), width="content")
        if halted is None:
            st.button("■ " + say("halt"), key="halt", on_click=_switch, args=(engine, who, True), width="content")
        elif not engine.trading.unhalt_requires_words:
            st.button("▶ " + say("unhalt"), key="unhalt", on_click=_switch, args=(engine, who, False), width="content")
    with st.container(key="frame-notices"):  # always there: what the page shows keeps its place, whether there is something to say or not
        _draw_notices(engine, who, say, halted, unread)
    st.session_state[SHOWN_HALTED] = unread != "" or halted is not None


def _draw_notices(engine: Engine, who: str, say: Say, halted: AuditRow | None, unread: str) -> None:
    """Say what is true of every page: a journal that cannot be written, what the kill switch met, a halt. unread: why the halt could not be
    read."""
    if broken := engine.trading.journal_trouble():
        draw_html(message(say("journal_trouble"), f"{say('journal_trouble_means')} {_translated(broken)}", bad=True))
    if trouble := st.session_state.pop(_TROUBLE, "") or ("" if broken else unread):
        draw_html(message(say("switch_unread"), trouble, bad=True))
    if under_way := st.session_state.pop(_UNDER_WAY, ()):
        draw_html(message(say("halt_met"), "; ".join(under_way_line(each, say) for each in under_way), bad=True))
    if is_open_to_all(engine):
        draw_html(message(say("open_to_all"), say("open_to_all_do")))
    if halted is not None:
        with isolated(say("part_frame"), say):
            _halted_notice(engine, who, halted, say)
    if _uses_exchange(engine):
        with st.container():  # as in `pages.run.draw.slots`
            st.fragment(_unprotected, run_every=_UNPROTECTED_S)(engine, say)


def _translated(trouble: object) -> str:
    return page_text(str(trouble), spoken_language())


def _uses_exchange(engine: Engine) -> bool:
    try:
        return engine.trading.uses_exchange
    except TribunalError:  # said above already
        return False


def _unprotected(engine: Engine, say: Say) -> None:
    """Positions without a stop, and accounts that no one can look after: on every page, whatever else it shows."""
    with st.container(key="unprotected"):
        draw_html(unprotected_messages(engine, say))


def unprotected_messages(engine: Engine, say: Say) -> Markup:
    """Return `NO STOP BTC/USDT:USDT stands without a stop since 12:00:03 UTC.`, one a position; "" when every one has its stop."""
    try:
        found = [
            message(
                say("no_stop_red", symbol=each.symbol),
                say("no_stop_means", account=each.account, when=numbers.clock(each.since)),
                bad=True,
            )
            for each in engine.trading.unprotected()
        ]
    except TribunalError as problem:
        found = [message(say("naked_unread"), _translated(problem), bad=True)]
    if engine.trading.trouble:
        found.append(message(say("not_watched"), _translated(engine.trading.trouble), bad=True))
    return joined(found)


def _halted_notice(engine: Engine, who: str, halted: AuditRow, say: Say) -> None:
    """Show that trading is halted, by whom, when and why; the reason can be given afterwards, since a switch must not ask first."""
    with st.container(key="halted", horizontal=True, vertical_alignment="center"):
        draw_html(halted_message(halted, say), width="stretch")
        if not halted.why:
            st.text_input(
                say("halt_why"),
                key="halt-why",
                placeholder=say("halt_why"),
                label_visibility="collapsed",
                max_chars=200,
                on_change=_explain,
                args=(engine, who),
                width=280,
            )
    if engine.trading.unhalt_requires_words:
        with st.form("unhalt-words", clear_on_submit=True, border=False):
            typed = st.text_input(
                say("unhalt_typed"), key="unhalt-typed", help=say("live_where"), max_chars=80, autocomplete="off", width=420
            )
            if st.form_submit_button("▶ " + say("unhalt"), key="unhalt"):
                run_action(lambda: engine.trading.unhalt(who, typed=typed))


def halted_message(row: AuditRow, say: Say) -> Markup:
    """Return `Trading is halted: op-1, 05-17 09:00 UTC: news at noon.`"""
    why = f"{say('colon')}{row.why}" if row.why else ""
    return message(say("halted_by", who=row.who, when=numbers.clock(row.at), why=why), say("halted_means"), bad=True)


def under_way_line(under_way: InFlightOrder, say: Say) -> str:
    """Return `buy 0.1 BTC/USDT:USDT: not sent, nothing is ordered`"""
    plan, basis = under_way.proposal.plan, under_way.proposal.basis
    return f"{say('side_' + plan.side)} {plan.amount:f} {basis.symbol}{say('colon')}{say('halt_' + under_way.what)}"


def page_heading(path: str, say: Say) -> Markup:
    """Return the one heading of the first order of a page: its name in the navigation. path: its own, "" for the desk."""
    return markup('<h1 class="tb-sr">{}</h1>', say(page_word(path)))


def page_word(path: str) -> str:
    """Return the key of a page's name."""
    return f"nav_{path or 'home'}"


def _place_and_waiting(engine: Engine, say: Say) -> Markup:
    """Return where orders go, and how many proposals wait, which a phone shows without its navigation."""
    count: WaitingCount = st.session_state.get(SHOWN_WAITING) or WaitingCount()
    if not any(count):
        return place_tag(engine, say)
    words = say("list_comma").join(part for part in (say("waits_n", n=count.ready), count.shut_words(say)) if part)
    shown = f"{count.ready}+{shut}" if (shut := count.locked + count.halted) else f"{count.ready}"
    link = markup('<a class="tb-waits" href="./approvals" target="_self" aria-label="{}">{}</a>', words, shown)
    return markup('<span class="tb">{} {}</span>', link, place_tag(engine, say))


def place_tag(engine: Engine, say: Say) -> Markup:
    """Return where orders go: paper, the exchange's sandbox, or real money."""
    settings = engine.settings
    if not engine.trading.capabilities.real_money:
        css_class, key = "", "tag_paper"
    elif settings.live != "yes":
        css_class, key = " warn", "tag_sandbox"
    else:
        css_class, key = " real", "tag_live" if engine.trading.is_live else "tag_live_closed"
    return markup('<span class="tb tb-tag{}">{}</span>', css_class, say(key))


def _switch(engine: Engine, who: str, halt: bool) -> None:
    try:
        if halt:
            st.session_state[_UNDER_WAY] = engine.trading.halt(who)
        else:
            engine.trading.unhalt(who)
    except TribunalError as problem:
        st.session_state[_TROUBLE] = _translated(problem)


def _explain(engine: Engine, who: str) -> None:
    """Write the reason as another row of the chain: what was written stays."""
    why = " ".join(str(st.session_state.get("halt-why") or "").split())
    try:
        if why and engine.trading.halted() is not None:
            engine.trading.halt(who, why)
    except TribunalError as problem:
        st.session_state[_TROUBLE] = _translated(problem)
