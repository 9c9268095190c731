"""Every pass that rewrites items before the grammar reads them, in order.

A pass is given the items and the table of indicators and gives new items; it reads nothing else and judges nothing. Each brings something
that people write in another way into the one form the grammar knows. `python -m engine ground --explain` shows what each of them does.
"""

from collections.abc import Callable

from engine.grounding.lexer.item import Item
from engine.grounding.passes.company import name_what_companies_are_said_to_have
from engine.grounding.passes.markdown import unroll_markdown_tables
from engine.grounding.passes.naming import name_averages_of_days, name_indicators, name_what_is_meant
from engine.grounding.passes.ordering import join_asides, join_comparisons, join_ranges, name_first, name_levels_first, split_bounds
from engine.grounding.passes.packed import name_parts_of_bands, split_contrasts, split_lists, split_packed_values, split_periods
from engine.grounding.passes.shorthand import write_out
from engine.grounding.tables.table import IndicatorTable

Pass = Callable[[list[Item], IndicatorTable], list[Item]]

PASSES: tuple[Pass, ...] = (
    join_asides,
    write_out,
    split_bounds,
    join_comparisons,
    name_what_companies_are_said_to_have,
    name_indicators,  # from here on every indicator is a `NamedIndicator`
    name_parts_of_bands,
    split_periods,
    split_lists,
    split_packed_values,
    split_contrasts,
    name_averages_of_days,
    name_what_is_meant,
    name_levels_first,
    name_first,
    join_ranges,
    unroll_markdown_tables,
)


def apply_passes(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Return the items as the grammar wants them."""
    for rewrite in PASSES:
        items = rewrite(items, table)
    return items
