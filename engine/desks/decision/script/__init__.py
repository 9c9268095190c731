"""The scripted analyst: what it reads out of a prompt, how it weighs it, and the words it has for it in English and Chinese."""
