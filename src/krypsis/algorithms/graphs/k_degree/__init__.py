"""k-degree anonymity: every degree occurs at least k times."""
