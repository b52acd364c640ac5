"""Local recoding by forming groups: what bottom-up, top-down and clustering have in common."""
