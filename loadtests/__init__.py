"""Load on a running LIRA, over its HTTP surface alone."""
