"""The rules of the legal profiles, each broken by itself. Expectations come from the laws and the specification."""

import pytest

from krypsis.errors import DossierRefused
from krypsis.release.dossier import find_hints, find_problems, load_profile, read_dossier, refuse_broken_rules
from release.dossier.examples import EUROPEAN, FILLED, GREEK, SOUND, changed

GR, EU = "gr-2472-1997", "eu-gdpr"
MEMBERS = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK IS LI NO"
FREE = {"free": True, "specific": True, "explicit": True, "informed": True}


def problems(content, **options):
    dossier = read_dossier(content)
    return find_problems(dossier, load_profile(dossier.profile), **options)


def fields(content, **options):
    return [problem.field for problem in problems(content, **options)]


def hints(content):
    dossier = read_dossier(content)
    return " ".join(find_hints(dossier, load_profile(dossier.profile)))


@pytest.mark.parametrize("content", SOUND.values(), ids=SOUND)
def test_a_dossier_with_everything_it_needs_has_no_problem_and_no_hint(content):
    assert problems(content) == ()
    assert hints(content) == ""


REQUIRED = {
    GR: [
        "controller.name",
        "purpose",
        "legal_basis",
        "recipients",
        "retention",
        "security_measures",
        "data_origin",
        "processing_methods",
        "access_right_procedure",
        "authority_notification",
    ],
    EU: [
        "controller.name",
        "controller.contact",
        "purpose",
        "legal_basis",
        "data_subjects",
        "data_categories",
        "recipients",
        "retention",
        "security_measures",
        "data_origin",
        "access_right_procedure",
    ],
}


@pytest.mark.parametrize(("name", "path"), [(name, path) for name, paths in REQUIRED.items() for path in paths])
def test_what_a_law_asks_for_is_asked_for(name, path):
    nothing = [] if isinstance(SOUND[name].get(path), list) else ""
    (problem,) = problems(changed(SOUND[name], {path: nothing}))
    assert problem.field == path
    assert "art." in problem.rule.lower()
    assert path in problem.todo


@pytest.mark.parametrize("name", SOUND)
def test_an_empty_dossier_is_told_all_that_is_missing_in_one_message(name):
    with pytest.raises(DossierRefused) as refused:
        refuse_broken_rules(read_dossier({"profile": name}))
    message = str(refused.value)
    assert all(f"- {path}: " in message for path in REQUIRED[name])
    assert "no legal advice" in message


def test_spaces_are_nothing():
    assert fields(changed(GREEK, {"purpose": "  \t ", "recipients": [" ", ""]})) == ["purpose", "recipients"]


# The rules of specification 2.8, one by one (C02).
SENSITIVE = {"sensitive_categories": ["health_and_welfare"]}
C02 = {
    "sensitive without permit or exemption": (SENSITIVE, ["authority_permit"]),
    "sensitive with a permit": ({**SENSITIVE, "authority_permit": "77/2017"}, []),
    "sensitive with an exemption": ({**SENSITIVE, "exemptions": ["legal_claims"]}, []),
    "sensitive by consent that is not written": (
        {**SENSITIVE, "authority_permit": "77/2017", "legal_basis": "consent", "consent": FREE},
        ["consent.written"],
    ),
    "sensitive by written consent": (
        {**SENSITIVE, "authority_permit": "77/2017", "legal_basis": "consent", "consent": {**FREE, "written": True}},
        [],
    ),
    "not sensitive by consent that is not written": ({"legal_basis": "consent", "consent": FREE}, []),
    "research without anonymization": ({"legal_basis": "research_anonymous"}, ["anonymisation"]),
    "research with anonymization": ({"legal_basis": "research_anonymous", "anonymisation": FILLED}, []),
    "a country without adequate protection": ({"recipient_countries": ["GR", "CN"]}, ["recipient_countries"]),
    "countries with adequate protection": ({"recipient_countries": ["GR", "CH", "NZ"]}, []),
}


@pytest.mark.parametrize(("changes", "expected"), C02.values(), ids=C02)
def test_c02_the_rules_of_the_release_dossier(changes, expected):
    assert fields(changed(GREEK, changes)) == expected


@pytest.mark.parametrize("missing", FILLED)
def test_c02_an_anonymization_that_says_too_little_is_not_filled(missing):
    part = {key: value for key, value in FILLED.items() if key != missing}
    assert fields(changed(GREEK, {"legal_basis": "research_anonymous", "anonymisation": part})) == ["anonymisation"]


def test_before_the_run_nobody_asks_for_what_the_run_fills_in():
    content = changed(GREEK, {"legal_basis": "research_anonymous", "exemptions": ["research_anonymous"]})
    assert fields(content, before_run=True) == []
    assert fields(changed(content, {"security_measures": []}), before_run=True)[0] == "security_measures"


@pytest.mark.parametrize("quality", ["free", "specific", "explicit", "informed"])
def test_consent_in_greece_is_free_specific_explicit_and_informed(quality):
    content = changed(GREEK, {"legal_basis": "consent", "consent": {**FREE, quality: False}})
    assert fields(content) == [f"consent.{quality}"]


@pytest.mark.parametrize(
    ("name", "basis", "path"),
    [
        (GR, "special_law", "legal_provision"),
        (GR, "legitimate_interest", "interest_pursued"),
        (EU, "legal_obligation", "legal_provision"),
        (EU, "public_interest", "legal_provision"),
        (EU, "legitimate_interest", "interest_pursued"),
    ],
)
def test_some_legal_bases_need_to_be_explained(name, basis, path):
    content = changed(SOUND[name], {"legal_basis": basis})
    assert fields(content) == [path]
    assert fields(changed(content, {path: "law 1 of 2001"})) == []


@pytest.mark.parametrize(
    ("name", "bases"),
    [
        (GR, {"consent", "contract", "special_law", "vital_interest", "public_interest", "legitimate_interest",
              "research_anonymous"}),
        (EU, {"consent", "contract", "legal_obligation", "vital_interest", "public_interest", "legitimate_interest"}),
    ],
)  # fmt: skip
def test_each_law_has_its_own_legal_bases(name, bases):
    assert set(load_profile(name).legal_bases) == bases
    (problem,) = problems(changed(SOUND[name], {"legal_basis": "contrakt"}))
    assert problem.field == "legal_basis"
    assert all(basis in problem.todo for basis in bases)
    assert "Did you mean 'contract'?" in problem.todo


def test_words_may_be_written_with_dashes_or_spaces():
    assert fields(changed(GREEK, {"legal_basis": "Vital-Interest"})) == []
    assert fields(changed(GREEK, {"legal_basis": "vital interest"})) == []


def test_greece_has_seven_sensitive_categories_and_europe_nine_with_convictions():
    assert len(load_profile(GR).sensitive_categories) == 7
    assert len(load_profile(EU).sensitive_categories) == 9


@pytest.mark.parametrize("name", SOUND)
def test_every_sensitive_category_needs_permission(name):
    for category in load_profile(name).sensitive_categories:
        (problem,) = problems(changed(SOUND[name], {"sensitive_categories": [category]}))
        assert problem.field == {GR: "authority_permit", EU: "exemptions"}[name]
        assert category in problem.rule


@pytest.mark.parametrize(
    ("word", "category"),
    [
        ("ethnicity", "racial_or_ethnic_origin"),
        ("party membership", "political_opinions"),
        ("vote", "political_opinions"),
        ("atheism", "religious_or_philosophical_beliefs"),
        ("trade_union_membership", "membership"),
        ("disability", "health_and_welfare"),
        ("welfare", "health_and_welfare"),
        ("preliminary files", "criminal_prosecutions_or_convictions"),
    ],
)
def test_what_falls_under_a_category_is_told_which(word, category):
    content = changed(GREEK, {"sensitive_categories": [word], "authority_permit": "77/2017"})
    (problem,) = problems(content)
    assert f"falls under '{category}'" in problem.rule
    assert problem.todo == f"write {category}"


@pytest.mark.parametrize(("name", "word"), [(GR, "citizenship"), (GR, "acquittals"), (EU, "nationality")])
def test_what_is_not_sensitive_is_told_why(name, word):
    (problem,) = problems(changed(SOUND[name], {"sensitive_categories": [word]}))
    assert "is no sensitive category" in problem.rule
    assert problem.todo == "leave it out"


def test_an_unknown_category_gets_the_nearest_one():
    (problem,) = problems(changed(EUROPEAN, {"sensitive_categories": ["helth"]}))
    assert "Did you mean 'health'?" in problem.todo


@pytest.mark.parametrize("name", SOUND)
def test_what_an_exemption_rests_on_must_stand_in_the_dossier(name):
    profile = load_profile(name)
    for word, exemption in profile.exemptions.items():
        category = min(profile.covered_by(word))
        content = changed(SOUND[name], {"sensitive_categories": [category], "exemptions": [word]})
        open_ = [path for path in exemption.needs if path != "security_measures"]
        assert fields(content) == open_, word


def test_greek_exemptions_are_those_of_the_law():
    assert set(load_profile(GR).exemptions) == {
        "written_consent",
        "vital_interest",
        "legal_claims",
        "medical_purposes",
        "national_security",
        "criminal_policy",
        "tax_control",
        "research_anonymous",
        "journalism_about_public_figures",
    }


def test_europe_has_the_ten_exceptions_of_article_9_and_the_two_of_article_10():
    sources = [one.source for one in load_profile(EU).exemptions.values()]
    letters = [source[len("GDPR Art. 9(2)(")] for source in sources if source.startswith("GDPR Art. 9(2)(")]
    assert letters == list("abcdefghij")
    assert sources.count("GDPR Art. 10") == 2


def test_an_exemption_from_the_notification_replaces_it():
    content = changed(GREEK, {"authority_notification": "", "exemptions": ["tax_control"]})
    assert fields(content) == []


def test_convictions_need_an_exemption_of_their_own():
    content = changed(EUROPEAN, {"sensitive_categories": ["health", "criminal_convictions_and_offences"]})
    (problem,) = problems(changed(content, {"exemptions": ["legal_claims"]}))
    assert problem.rule.startswith("criminal_convictions_and_offences may")
    assert "official_authority" in problem.todo
    assert "legal_claims" not in problem.todo
    assert fields(changed(content, {"exemptions": ["legal_claims", "official_authority"]})) == []


def test_in_europe_a_permit_replaces_no_exemption():
    content = changed(EUROPEAN, {"sensitive_categories": ["health"], "authority_permit": "77/2017"})
    assert fields(content) == ["exemptions"]
    assert "no general permit" in hints(content)


def test_consent_to_sensitive_data_is_explicit_in_europe():
    consent = {"free": True, "specific": True, "informed": True}
    content = changed(EUROPEAN, {"legal_basis": "consent", "consent": consent})
    assert fields(content) == []
    sensitive = changed(content, {"sensitive_categories": ["health"], "exemptions": ["legal_claims"]})
    assert fields(sensitive) == ["consent.explicit"]


@pytest.mark.parametrize("name", SOUND)
@pytest.mark.parametrize("code", ["CN", "RU", "IN", "ZA"])
def test_data_does_not_go_where_it_is_not_protected(name, code):
    (problem,) = problems(changed(SOUND[name], {"recipient_countries": [code]}))
    assert problem.field == "recipient_countries"
    assert f"({code}) has no adequate protection" in problem.rule
    assert str(load_profile(name).transfers.as_of) in problem.rule


@pytest.mark.parametrize("name", SOUND)
def test_data_goes_freely_to_all_member_states(name):
    members = MEMBERS.split()
    assert fields(changed(SOUND[name], {"recipient_countries": members})) == []
    assert hints(changed(SOUND[name], {"recipient_countries": members})) == ""


def test_japan_korea_and_brazil_are_adequate_since_the_regulation_only():
    assert fields(changed(EUROPEAN, {"recipient_countries": ["JP", "KR", "BR", "GB"]})) == []
    assert fields(changed(GREEK, {"recipient_countries": ["JP", "KR", "BR"]})) == ["recipient_countries"] * 3


def test_the_decision_about_the_united_kingdom_tells_its_end():
    """Prolonged by the Commission on 2025-12-19."""
    assert "2031-12-27" in hints(changed(EUROPEAN, {"recipient_countries": ["GB"]}))


def test_gibraltar_was_part_of_the_union_for_data():
    assert fields(changed(GREEK, {"recipient_countries": ["GI"]})) == []
    assert fields(changed(EUROPEAN, {"recipient_countries": ["GI"]})) == ["recipient_countries"]


@pytest.mark.parametrize(("code", "condition"), [("US", "Data Privacy Framework"), ("CA", "PIPEDA"), ("BR", "LGPD")])
def test_a_condition_of_adequate_protection_and_its_date_are_told(code, condition):
    told = hints(changed(EUROPEAN, {"recipient_countries": [code]}))
    assert condition in told
    assert str(load_profile("eu-gdpr").transfers.as_of) in told


def test_a_safeguard_lets_data_go_further_in_europe():
    content = changed(EUROPEAN, {"recipient_countries": ["IN"]})
    safe = changed(content, {"transfer_safeguards": {"in": "standard contractual clauses"}})
    assert fields(safe) == []
    (problem,) = problems(changed(content, {"transfer_safeguards": {"IN": "standard_clauses"}}))
    assert "Did you mean 'standard_contractual_clauses'?" in problem.todo


def test_a_safeguard_of_another_country_protects_nothing():
    content = changed(EUROPEAN, {"recipient_countries": ["IN"], "transfer_safeguards": {"CN": "certification"}})
    assert fields(content) == ["recipient_countries", "transfer_safeguards.CN"]


def test_greece_knows_no_safeguards():
    content = changed(GREEK, {"recipient_countries": ["BR"], "transfer_safeguards": {"BR": "certification"}})
    assert fields(content) == ["transfer_safeguards.BR"]


@pytest.mark.parametrize(
    ("written", "meant"), [("UK", "'GB'"), ("EL", "'GR'"), ("Germany", "'DE'"), ("Grece", "'GR'"), ("XX", "such as GR")]
)
def test_a_country_that_is_no_code_gets_the_nearest_one(written, meant):
    (problem,) = problems(changed(EUROPEAN, {"recipient_countries": [written]}))
    assert "no two-letter code" in problem.rule
    assert meant in problem.todo


def test_an_impact_assessment_is_thought_of_until_there_is_one():
    content = changed(EUROPEAN, {"sensitive_categories": ["health"], "exemptions": ["legal_claims"]})
    assert "Art. 35" in hints(content)
    assert "Art. 35" not in hints(changed(content, {"impact_assessment": "DPIA 7"}))


def test_the_same_problem_is_told_once():
    content = changed(GREEK, {**SENSITIVE, "authority_permit": "1", "exemptions": ["tax_controll", "tax_controll"]})
    assert fields(content) == ["exemptions"]
