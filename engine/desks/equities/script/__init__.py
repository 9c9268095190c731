"""What the scripted model says for the roles of the desk."""
