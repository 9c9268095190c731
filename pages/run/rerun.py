"""What can be done with a run of any flow that has ended: ask a failed step again, run again from any step, take it away as a file."""

import json
from collections.abc import Callable, Collection, Sequence

import streamlit as st

from engine.api import Engine, role_of
from engine.domain.run import RunRecord
from engine.domain.text.language import LANGUAGES
from pages.frame.show import Show
from pages.run.starting import start_run
from pages.run.view import RunView
from pages.words.texts import LANGUAGE_NAMES


def offer_retry(engine: Engine, view: RunView, show: Show, roles: Collection[str]) -> None:
    """Draw a button for every role that gave no usable answer, in any of its tries: a new run from that step on. roles: of the flow. Where
    the key was refused and nobody has answered, asking again cannot work."""
    answered = {role_of(node.name) for node in view.nodes.values() if node.state == "done"}
    failed = [node.name for node in view.nodes.values() if node.state in ("failed", "abstained")]
    silent = {role: node for node in reversed(failed) if (role := role_of(node)) in roles and role not in answered}
    if not silent or view.run_id is None or (view.faults.refused and not view.faults.answered):
        return
    with st.container(key="retry", horizontal=True):
        for role, node in reversed(silent.items()):
            if st.button(show.say("try_again", role=show.name(role)), key=f"retry-{node}", help=show.say("again_help")):
                _fork(engine, view.run_id, node)


def offer_again(engine: Engine, record: RunRecord, view: RunView, show: Show, roles: Sequence[str], title: str) -> None:
    """Draw the form of a fork: from which step, with which model, in which language, with which words in place of a role's.

    roles: steps of the flow, in order; the last is chosen at first. title: of the form. Nothing where the key was refused before anybody
    had answered: there is nothing to go on from."""
    if view.faults.refused and not view.faults.answered:
        return
    say = show.say
    with st.expander(title):
        node = st.selectbox(say("again_node"), roles, len(roles) - 1, format_func=show.name, help=say("again_help"), key="again-node")
        left, right = st.columns(2)
        models = list(dict.fromkeys([record.request.model, engine.settings.default_model, "scripted"]))
        model = left.selectbox(say("col_model"), models, accept_new_options=True, key=f"again-model-{record.run_id}")
        start = LANGUAGES.index(record.request.language)
        key = f"again-language-{record.run_id}"
        language = right.selectbox(say("col_language"), LANGUAGES, start, format_func=LANGUAGE_NAMES.__getitem__, key=key)
        texts = {}
        if st.checkbox(say("again_edit"), key="again-edit"):
            said = view.role(node).text.removeprefix(view.role(node).earlier).lstrip("\n")
            text = st.text_area(say("again_text", role=show.name(node)), said, height=220, key=f"again-text-{record.run_id}-{node}")
            texts = {node: text}
        if st.button(say("again_run"), key="again-run"):
            changed = {key: value for key, value in (("model", model), ("language", language)) if value != getattr(record.request, key)}
            _fork(engine, record.run_id, node, **changed, texts=texts)


def offer_files(engine: Engine, run_id: str, page: Callable[[], str] | None, show: Show) -> None:
    """Offer the run as a page and as a record, each made when it is asked for. page: makes the HTML file; None where the flow has
    none."""
    say = show.say

    def bundle() -> str:
        return json.dumps(engine.bundle(run_id), ensure_ascii=False, allow_nan=False)

    with st.container(key="files", horizontal=True):
        names = (f"tribunal-{run_id}.html", f"tribunal-{run_id}.json")
        if page is not None:
            st.download_button(
                say("save_page"), page, names[0], "text/html", help=say("save_page_help"), on_click="ignore", key="save-page"
            )
        st.download_button(
            say("save_bundle"), bundle, names[1], "application/json", help=say("save_bundle_help"), on_click="ignore", key="save-bundle"
        )


def _fork(engine: Engine, run_id: str, node: str, **changes: object) -> None:
    start_run(lambda: engine.fork(run_id, node, **changes), run_id)
