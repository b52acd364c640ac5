from importlib import resources
from string import Formatter

import polars as pl
import pytest
import yaml

from krypsis.data.schema import Role
from krypsis.kinds.table.profile.column import PATTERNS, WEAK_PATTERNS, profile_column
from krypsis.kinds.table.profile.roles import guess_role
from krypsis.kinds.table.profile.words import IDENTIFYING, KNOWABLE, SPECIAL

REPEATED = ["a", "b"] * 20
DIFFERENT = [f"value {number} of {number * 7919}" for number in range(40)]


def guess(name, values):
    return guess_role(profile_column(name, pl.Series(values).cast(pl.String)))


@pytest.mark.parametrize(
    "name",
    [
        *("name", "Name", "full name", "lastName", "SURNAME", "patient_name", "first-name", "username"),
        *("email", "E-Mail", "phone", "Tel.", "mobile_phone", "SSN", "passport no", "IBAN", "Street Address", "mrn"),
        *("Όνομα", "ΟΝΟΜΑ", "Επώνυμο", "ονοματεπώνυμο", "ΑΜΚΑ", "amka", "ΑΦΜ", "Τηλέφωνο", "Διεύθυνση"),
        *("Αριθμός ταυτότητας", "Nachname", "Vorname", "prénom", "cognome", "apellidos", "Codice Fiscale", "teléfono"),
        *("patient_id", "customerId", "user id"),
    ],
)
def test_names_of_what_identifies_a_person_give_an_identifier(name):
    assert guess(name, REPEATED).role is Role.IDENTIFIER


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("disease", "health"),
        ("primaryDiagnosis", "health"),
        ("Ασθένεια", "health"),
        ("Διάγνωση", "health"),
        ("Krankheit", "health"),
        ("race", "racial or ethnic origin"),
        ("ethnicity", "racial or ethnic origin"),
        ("political_party", "political opinions"),
        ("Θρήσκευμα", "religious"),
        ("religion", "religious"),
        ("trade union", "union"),
        ("sexual_orientation", "sex life"),
        ("Αδίκημα", "criminal"),
        ("conviction", "criminal"),
        ("welfare_benefit", "social welfare"),
        ("salary-class", "financial"),
        ("Μισθός", "financial"),
        ("Εισόδημα", "financial"),
        ("Einkommen", "financial"),
    ],
)
def test_special_categories_are_sensitive_and_the_reason_names_them(name, category):
    found = guess(name, REPEATED)
    assert found.role is Role.SENSITIVE
    assert category in found.reason


@pytest.mark.parametrize(
    "name",
    [
        *("age", "Age", "sex", "gender", "birth_date", "dateOfBirth", "DOB", "zip", "ZIP5", "zipcode", "postal code"),
        *("city", "native-country", "nationality", "citizenship", "marital-status", "education", "occupation", "job"),
        *(
            "Ηλικία",
            "Φύλο",
            "Ημερομηνία γέννησης",
            "Τ.Κ.",
            "Ταχυδρομικός κώδικας",
            "Επάγγελμα",
            "Οικογενειακή κατάσταση",
        ),
        *("Geschlecht", "Geburtsdatum", "PLZ", "sexe", "età", "código postal", "ville", "beruf"),
    ],
)
def test_demographic_geographic_and_date_names_give_quasi_identifiers(name):
    assert guess(name, REPEATED).role is Role.QUASI_IDENTIFIER


def test_citizenship_is_not_sensitive_and_ethnicity_is():
    assert guess("citizenship", REPEATED).role is Role.QUASI_IDENTIFIER
    assert guess("ethnic_origin", REPEATED).role is Role.SENSITIVE


@pytest.mark.parametrize(
    "name", ["hospital_name", "stage", "trace", "wage_", "colour", "sensor", "passage", "x", "", "1"]
)
def test_a_word_inside_another_word_does_not_count(name):
    found = guess(name, REPEATED)
    assert ("the name suggests financial status" if name == "wage_" else "nothing in the name") in found.reason


@pytest.mark.parametrize(
    "values", [REPEATED, [1, 5, 9] * 20, [0.5, 1.5] * 20, [str(number % 30) for number in range(90)]]
)
def test_what_nothing_is_known_about_is_a_quasi_identifier(values):
    found = guess("x", values)
    assert found.role is Role.QUASI_IDENTIFIER
    assert "make it sensitive if it is a secret of the person" in found.reason


def test_numbers_of_records_are_identifiers_only_if_they_tell_records_apart():
    assert guess("department id", REPEATED).role is Role.QUASI_IDENTIFIER
    assert guess("visit id", DIFFERENT).role is Role.IDENTIFIER
    assert guess("anything", list(range(40))).role is Role.IDENTIFIER


def test_near_unique_text_of_unknown_meaning_is_an_identifier():
    found = guess("remark", DIFFERENT)
    assert found.role is Role.IDENTIFIER
    assert "100 %" in found.reason


def test_a_near_unique_measurement_is_said_to_be_one():
    found = guess("reading", [number * 1.37 for number in range(40)])
    assert found.role is Role.QUASI_IDENTIFIER
    assert "whoever knows one finds the record" in found.reason


def test_near_unique_numbers_of_the_same_length_are_identifiers():
    assert guess("reading", [100_000 + number * 977 for number in range(40)]).role is Role.IDENTIFIER


def test_values_that_look_like_addresses_are_identifiers_whatever_the_name():
    found = guess("contact", ["a@b.gr", "c@d.gr"] * 3)
    assert found.role is Role.IDENTIFIER
    assert "e-mail" in found.reason


def test_dates_of_any_name_are_quasi_identifiers():
    assert guess("event", ["2024-01-01", "2024-01-02"] * 4).role is Role.QUASI_IDENTIFIER


def test_empty_and_constant_columns_say_so():
    assert guess("x", [None, None]).reason == "all values are missing"
    assert guess("x", ["a", "a"]).reason == "all records have the same value"


def test_two_different_records_do_not_make_an_identifier():
    assert guess("remark", ["good", "bad"]).role is Role.QUASI_IDENTIFIER


PEOPLE = ["Ann Lee", "Bob Ray", "Eva Kos", "Zoë Müller-Lang", "Νίκος Παππάς"]


@pytest.mark.parametrize(
    "values",
    [
        [f"{first} {last.split()[1]}" for first in ("Maria", "John", "Sara", "Paul", "Ines") for last in PEOPLE] * 3,
        [f"69{10_000_000 + number}" for number in range(60)] * 3,
        [f"+30 210 {1_000_000 + number * 37}" for number in range(60)] * 3,
        [f"210-{1_000_000 + number * 37}" for number in range(60)] * 3,
        [f"{number:032x}" for number in range(60)] * 3,
        [f"https://example.org/people/{number}" for number in range(60)] * 3,
        [f"{100 + number}-12-3456" for number in range(60)] * 3,
        ["6f9619ff-8b86-d011-b42d-00c04fc964ff", "6f9619ff-8b86-d011-b42d-00c04fc964fa"] * 20,
        [f"moved to Athens in {1950 + number}" for number in range(60)] * 3,
    ],
    ids=["names", "digits", "international", "dashes", "hex", "web", "social", "uuid", "sentences"],
)
@pytest.mark.parametrize("name", ["x1", "column"])
def test_values_that_point_to_persons_are_identifiers_whatever_the_name(name, values):
    assert guess(name, values).role is Role.IDENTIFIER


def test_large_amounts_and_names_of_places_or_diseases_are_not_taken_for_persons():
    firsts, lasts = ("New", "Old", "Lower", "Upper", "Great"), ("York", "Falls", "Bay", "Creek", "Hill")
    two_words = [f"{first} {last}" for first in firsts for last in lasts]
    assert guess("city", two_words * 3).role is Role.QUASI_IDENTIFIER
    assert guess("diagnosis", two_words * 3).role is Role.SENSITIVE
    assert guess("income", [10**9 + number * 10**6 for number in range(60)] * 3).role is Role.SENSITIVE


@pytest.mark.parametrize("name", ["medical_notes", "diagnosis", "city", "x"])
def test_near_unique_free_text_is_an_identifier_whatever_the_name(name):
    assert guess(name, [f"seen by nurse {number} in the morning" for number in range(40)]).role is Role.IDENTIFIER


def test_notes_that_repeat_are_still_free_text():
    notes = ["ok", *(f"called {person}" for person in PEOPLE), *(f"since {year}" for year in range(1950, 2000))]
    assert guess("note", notes * 3).role is Role.IDENTIFIER


def test_a_column_about_persons_with_many_values_is_an_identifier():
    assert guess("customer", [f"kd-{number}x" for number in range(60)] * 2).role is Role.IDENTIFIER
    assert guess("customer type", ["new", "old"] * 20).role is Role.QUASI_IDENTIFIER


@pytest.mark.parametrize(
    "values",
    [
        [f"{day} Mar 1990" for day in range(1, 29)] * 3,
        [f"March {day}, 1990" for day in range(1, 29)] * 3,
        [f"{day}/{month}/{40 + day}" for day in range(1, 29) for month in range(1, 13)] * 2,
    ],
)
def test_dates_in_words_and_short_dates_are_quasi_identifiers(values):
    assert guess("when", values).role is Role.QUASI_IDENTIFIER


@pytest.mark.parametrize("name", ["race", "ethnicity"])
def test_origin_is_sensitive_and_said_to_be_visible(name):
    found = guess(name, REPEATED)
    assert found.role is Role.SENSITIVE
    assert "quasi-identifier" in found.reason


def test_every_reason_is_said_in_greek_too():
    texts = yaml.safe_load(resources.files("krypsis.kinds.table.profile").joinpath("reasons.yaml").read_text("utf-8"))
    for key, reason in (texts["reasons"] | texts["sentences"]).items():
        fields = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in (reason["en"], reason["el"])]
        assert fields[0] == fields[1], key
    told = {tag.meaning for tag in (*IDENTIFYING, *SPECIAL, *KNOWABLE)} | {*PATTERNS, *WEAK_PATTERNS}
    assert told == texts["words"].keys()


def test_a_reason_keeps_its_figures_in_greek():
    column = profile_column("Ιδ", pl.Series([f"{number}{number * 7:05}" for number in range(10, 60)]))
    found = guess_role(column)
    assert "100 %" in found.reason
    assert "100 %" in found.said("el")
    assert found.said("el") != found.reason


@pytest.mark.parametrize("name", ["severity", "tumor_size", "contraceptive", "biopsy", "savings", "expend"])
def test_what_tells_of_an_illness_or_of_money_is_sensitive(name):
    assert guess(name, REPEATED).role is Role.SENSITIVE
