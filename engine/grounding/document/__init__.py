"""The layout of a text: headings, lists, labels and tables, and whom and when each part of it speaks of."""
