"""REST under /api: the actions of the pages for programs."""
