"""Outcomes and calibration."""
