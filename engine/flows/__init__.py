"""How roles work together: one folder a flow; flows know nothing of each other."""
