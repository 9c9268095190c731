"""What can be claimed: indicators, their names, tolerances and thresholds."""
