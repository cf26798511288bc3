"""Where each part of LIRA runs: one thin Ray Serve class per stage, the ingress, and the graph that joins them."""
