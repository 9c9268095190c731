"""What the scripts of all desks share: words as data, the facts of a prompt, and a text with its planted values while it is written."""
