"""The report of a release: one self-contained page for the publisher, and the same as JSON."""
