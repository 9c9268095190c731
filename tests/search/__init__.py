"""How well documents are ordered: labelled questions of our own, and what scores them."""
