"""(k,k)-anonymity."""
