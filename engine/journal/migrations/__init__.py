"""Journals of earlier versions, brought to the tables of this one: `steps.py` says how, the other modules what."""
