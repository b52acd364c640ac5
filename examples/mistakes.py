"""What happens when something is wrong: the error says what to do."""

import polars as pl

import krypsis
from krypsis.errors import Infeasible, UsageError

table = pl.DataFrame({"zipcode": ["10410", "10411", "54610"], "disease": ["flu", "asthma", "flu"]})

try:
    krypsis.anonymize(table, roles={"zipcod": "quasi-identifier"}, models=["k-anonymity:k=2"])
except UsageError as error:
    print(error)

try:
    krypsis.anonymize(table, roles={"zipcode": "quasi-identifier"}, models=["k-anonymity:k=0"])
except UsageError as error:
    print(error)

try:
    krypsis.anonymize(table, roles={"zipcode": "quasi-identifier"}, models=["k-anonymity:k=4"])
except Infeasible as error:
    print(error)
    print(error.closest)
