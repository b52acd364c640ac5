"""A kind of data that only the tests know."""
