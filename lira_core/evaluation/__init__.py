"""Measuring the parts, and a whole LIRA in `memory` and `retrieval`: what `lira eval` prints. Needs no package that LIRA does not."""
