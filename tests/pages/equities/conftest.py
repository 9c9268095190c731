from tests.pages.equities.runs import engine, scripted

__all__ = ["engine", "scripted"]
