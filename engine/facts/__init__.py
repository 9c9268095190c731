"""Pure numbers: a snapshot in, the fact sheet out. `sheet.build_sheet` is the door, `series.indicator_series` the chart's."""
