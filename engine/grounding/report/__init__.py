"""The truth in words: names, values, the record of a whole debate."""
