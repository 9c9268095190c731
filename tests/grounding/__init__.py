"""Labelled texts of traders and models: what a reader of claims has to find in them, and what it must not.

`seen/` was looked at while the grammar was written; `held_back/` was not, and is only ever counted. `sheets.json` has the facts.
"""
