from tests.pages.desks.equities.runs import engine, scripted

__all__ = ["engine", "scripted"]
