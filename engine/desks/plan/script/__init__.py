"""What the scripted model says for the roles of a plan."""
