"""Labelled texts of traders and models: what a reader of claims has to find in them, and what it must not.

`seen/` and `honest/` were looked at while the grammar was written; what is held back was not, and is only ever counted.
`sheets.json` has the facts.
"""
