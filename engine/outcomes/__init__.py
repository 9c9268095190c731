"""What decisions have come to, and whether their confidence was right."""
