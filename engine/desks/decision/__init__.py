"""The decision flow: four analysts, a debate, grounding, an executor. `graph.py` draws it."""
