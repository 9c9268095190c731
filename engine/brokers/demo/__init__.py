"""The account of guided demos."""
