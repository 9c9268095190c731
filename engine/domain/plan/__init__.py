"""A question that was decomposed: the plan, what became of it, and what happens while it is worked through."""
