"""What a check of the installation, or a test of a model, found. HTML, without streamlit."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from engine.domain.diagnostics.result import DiagnosticResult
from pages.frame.cards import card, cell, head, heading, label, table
from pages.frame.escape import markup, plain
from pages.frame.show import Show


def check_panel(lines: Sequence[DiagnosticResult], show: Show) -> Markup:
    """Return what a check found."""
    say = show.say
    counts = {status: sum(each.status == status for each in lines) for status in ("failed", "warning")}
    summary = label(say("check_sum", failed=counts["failed"], warnings=counts["warning"], n=len(lines)))
    return card(head(heading(say("check_came")), summary), check_lines(lines, show), label=say("check_came"))


def check_lines(lines: Sequence[DiagnosticResult], show: Show) -> Markup:
    """Return a row for each thing that was looked at: what, how it is, what to do."""
    say = show.say
    rows = [
        (
            cell(say(f"diag_{each.name}")),
            cell(markup('<span class="tb-st {}"><b aria-hidden="true">{}</b>{}</span>', *_state(each, show))),
            cell(_found(each)),
        )
        for each in lines
    ]
    heads = ((say("check_what"), False), (say("check_state"), False), (say("check_found"), False))
    return table(heads, rows, "tb-check")


_STATES: Final = {"ok": ("done", "✓"), "warning": ("warn", "!"), "failed": ("bad", "✕"), "skipped": ("", "○")}


def _state(each: DiagnosticResult, show: Show) -> tuple[str, str, str]:
    return *_STATES[each.status], show.say(f"check_{each.status}")


def _found(each: DiagnosticResult) -> Markup:
    if not each.what_to_do:
        return plain(each.detail)
    return markup('{}<span class="tb-line tb-muted">→ {}</span>', each.detail, each.what_to_do)
