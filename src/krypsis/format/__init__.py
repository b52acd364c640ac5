"""The published format: the one contract that writer and checker share."""
