"""Measuring the parts: what `lira eval` prints. Needs numpy only."""
