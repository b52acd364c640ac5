"""Plain references for promises about several tables: the views of subjects, one by one."""

from collections import Counter
from itertools import product


def shared_views(tables):
    """How many subjects share each view; a table is a list of (subject, quasi-identifiers)."""
    subjects = {subject for rows in tables for subject, _ in rows}
    views = {
        subject: tuple(frozenset(Counter(known for who, known in rows if who == subject).items()) for rows in tables)
        for subject in subjects
    }
    return Counter(views.values()), views


def shared_joins(tables):
    """The same with the definition of the paper: the multiset of quasi-identifiers in the join of all tables."""
    subjects = set.intersection(*[{subject for subject, _ in rows} for rows in tables])
    joins = {
        subject: frozenset(
            Counter(product(*[[known for who, known in rows if who == subject] for rows in tables])).items()
        )
        for subject in subjects
    }
    return Counter(joins.values())
