"""Shared paragraphs of prompts, in both languages, and the renderer that refuses holes and leftovers."""
