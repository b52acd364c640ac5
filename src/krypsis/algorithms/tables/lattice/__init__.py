"""Full-domain searches: the lattice of levels, rolled up and judged."""
