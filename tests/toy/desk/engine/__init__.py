"""The toy desk."""
