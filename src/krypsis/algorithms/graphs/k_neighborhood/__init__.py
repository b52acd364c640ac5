"""k-neighborhood anonymity."""
