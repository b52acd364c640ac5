"""How hard tests try: a few random cases in every run, all of them in the thorough profile."""

from hypothesis import settings

IS_THOROUGH = settings.default.max_examples >= settings.get_profile("thorough").max_examples
FEWEST = 6
PART = 25


def examples(number: int) -> int:
    """Return how many random cases a test that wants so many gets in this run."""
    return number if IS_THOROUGH else max(FEWEST, number // PART)


def either(thorough: int, usual: int) -> int:
    """Return a size for thorough runs, or the one for every run."""
    return thorough if IS_THOROUGH else usual
