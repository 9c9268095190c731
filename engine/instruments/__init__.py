"""What is traded: contracts and shares."""
