"""What analysts may ask for: every tool is a pure function of the run's inputs, so nothing later than its moment can come back."""
