"""k-Optimize."""
