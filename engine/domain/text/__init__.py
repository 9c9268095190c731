"""Text that crosses a border: addresses without their secrets, words without what hides or reorders them, JSON without double keys."""
