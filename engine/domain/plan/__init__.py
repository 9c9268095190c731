"""A question that was decomposed: the plan, its outcome, and what happens while it is worked through."""
