"""The optimal full-domain search."""
