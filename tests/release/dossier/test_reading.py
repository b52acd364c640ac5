"""Dossiers as people write them, and legal profiles of one's own."""

import json
import re
from importlib import resources
from pathlib import Path

import pytest
import yaml

from krypsis.errors import UsageError
from krypsis.release.dossier import Dossier, find_problems, load_profile, profile_names, read_dossier, template
from krypsis.release.dossier.profile import country_name
from release.dossier.examples import EUROPEAN, GREEK, SOUND, changed

PROFILES = resources.files("krypsis.release.dossier").joinpath("profiles")


@pytest.mark.parametrize("name", profile_names())
def test_a_template_asks_for_every_field_and_says_nothing_yet(name, tmp_path):
    path = tmp_path / "dossier.yaml"
    path.write_text(template(load_profile(name)), encoding="utf-8")
    assert read_dossier(path) == Dossier(profile=name)
    asked = set(yaml.safe_load(path.read_text("utf-8")))
    assert asked == set(Dossier.model_fields) - {"anonymisation"}


@pytest.mark.parametrize("name", profile_names())
def test_a_template_shows_every_word_that_may_be_chosen_and_every_rule(name):
    profile, text = load_profile(name), re.sub(r"\n#\s+", " ", template(load_profile(name)))
    vocabularies = (profile.legal_bases, profile.sensitive_categories, profile.exemptions, profile.transfers.safeguards)
    for vocabulary in vocabularies:
        for word, one in vocabulary.items():
            assert f"{word}: {one.title} ({one.source})" in text
    for category in profile.sensitive_categories.values():
        assert category.boundary in text
    for requirement in profile.requirements:
        assert requirement.source in text
    assert "no legal advice" in text


@pytest.mark.parametrize("name", profile_names())
def test_a_template_that_was_filled_in_is_read_back(name, tmp_path):
    lines = template(load_profile(name)).splitlines()
    filled = []
    for line in lines:
        key = line.partition(":")[0]
        value = SOUND[name].get(key)
        if key == "controller":
            filled.append(f"controller: {json.dumps(value, ensure_ascii=False)}")
        elif not re.match(r"  (name|representative|contact|data_protection_officer):", line):
            filled.append(f"{key}: {json.dumps(value, ensure_ascii=False)}" if value else line)
    (tmp_path / "d.yaml").write_text("\n".join(filled), encoding="utf-8")
    dossier = read_dossier("d.yaml", tmp_path)
    assert dossier == read_dossier(SOUND[name])
    assert find_problems(dossier, load_profile(name)) == ()


def test_greek_letters_survive(tmp_path):
    (tmp_path / "φάκελος.yaml").write_text(yaml.safe_dump(GREEK, allow_unicode=True), encoding="utf-8")
    dossier = read_dossier("φάκελος.yaml", tmp_path)
    assert (dossier.controller.name, dossier.purpose) == ("Νοσοκομείο Ευαγγελισμός", "έρευνα για το άσθμα")


def test_norway_stays_norway_and_numbers_stay_text(tmp_path):
    (tmp_path / "d.yaml").write_text("profile: eu-gdpr\nrecipient_countries: [NO]\nauthority_permit: 0077\n")
    dossier = read_dossier("d.yaml", tmp_path)
    assert (dossier.recipient_countries, dossier.authority_permit) == (("NO",), "0077")


@pytest.mark.parametrize("nothing", ["", "null", "~", '""', "' '"])
def test_nothing_may_be_written_in_many_ways(tmp_path, nothing):
    keys = ("purpose", "consent", "recipients", "transfer_safeguards")
    (tmp_path / "d.yaml").write_text("profile: eu-gdpr\n" + "".join(f"{key}: {nothing}\n" for key in keys))
    assert read_dossier("d.yaml", tmp_path) == Dossier(profile="eu-gdpr")


def test_the_json_of_a_run_is_read_back(tmp_path):
    dossier = read_dossier(changed(GREEK, {"anonymisation": {"model": "k-anonymity", "parameters": {"p": {"k": 5}}}}))
    (tmp_path / "d.json").write_text(dossier.model_dump_json(), encoding="utf-8")
    assert read_dossier("d.json", tmp_path) == dossier


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"purpos": "x"}, "unknown key 'purpos'; keys here: profile, .* Did you mean 'purpose'?"),
        (
            {"controller.nam": "x"},
            "unknown key 'controller.nam'; keys here: name, representative, .* Did you mean 'name'?",
        ),
        ({"consent.writen": "x"}, "Did you mean 'written'?"),
        ({"anonymisation.modle": "x"}, "Did you mean 'model'?"),
        ({"recipients": "universities"}, "recipients: expected a list such as .*, got 'universities'"),
        ({"consent": "yes"}, "consent: expected a mapping with keys and values, got 'yes'"),
        ({"consent.free": "perhaps"}, "consent.free: expected true or false, got 'perhaps'"),
        ({"purpose": ["a"]}, "purpose: expected a text or a number, got"),
        ({"profile": "eu-gdrp"}, "'eu-gdrp' is not known; profiles: eu-gdpr, gr-2472-1997, .* Did you mean 'eu-gdpr'?"),
        ({"profile": ""}, "'profile' is missing; profiles: eu-gdpr, gr-2472-1997"),
        ({"profile": ["eu-gdpr"]}, "profile: expected a text"),
        ({"purpose": "a\ud800"}, "purpose: expected text, got a broken character at position 2"),
        ({"recipients": ["a", "\udfff"]}, "recipients.1: expected text, got a broken character at position 1"),
    ],
)
def test_a_mistake_is_told_with_what_is_known(changes, words):
    with pytest.raises(UsageError, match=words):
        read_dossier(changed(EUROPEAN, changes))


def test_all_mistakes_are_told_in_one_message():
    with pytest.raises(UsageError) as told:
        read_dossier(changed(EUROPEAN, {"purpos": "x", "consent.free": "perhaps", "recipients": "all"}))
    assert all(word in str(told.value) for word in ("'purpos'", "consent.free", "recipients"))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("d.yaml", None, "not found; 'krypsis dossier init' writes one"),
        ("d.json", None, "not found; 'krypsis dossier init' writes one"),
        ("d.yaml", b"profile: [", "is not valid YAML"),
        ("d.json", b"{", "is not JSON"),
        ("d.json", b"[" * 100_000, "is not JSON"),
        ("d.json", b"[1]", "must hold a JSON object, got list"),
        ("d.yaml", b"- a\n", "must be a mapping with keys such as profile"),
        ("d.yaml", b"", "must be a mapping with keys such as profile"),
        ("d.yaml", b"profile: \xff\xfe", "cannot be read"),
        ("d.yaml", b"profile: eu-gdpr\npurpose: a\npurpose: b\n", "key 'purpose' stands twice"),
    ],
)
def test_a_file_that_is_no_dossier(tmp_path, name, content, words):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=words):
        read_dossier(name, tmp_path)


def test_a_profile_of_ones_own_is_seen_from_the_dossier(tmp_path):
    text = PROFILES.joinpath("eu-gdpr.yaml").read_text("utf-8").replace("name: eu-gdpr", "name: our-rules", 1)
    (tmp_path / "rules.yaml").write_text(text.replace("any_of: [controller.contact]", "any_of: [impact_assessment]"))
    (tmp_path / "d.yaml").write_text(yaml.safe_dump(changed(EUROPEAN, {"profile": "rules.yaml"})))
    dossier = read_dossier("d.yaml", tmp_path)
    profile = load_profile(dossier.profile)
    assert profile.name == "our-rules"
    assert [problem.field for problem in find_problems(dossier, profile)] == ["impact_assessment"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("any_of: [purpose]", "any_of: [purposes]", "'purposes' is no place in a dossier"),
        ("covers: [criminal", "covers: [kriminal", "covers 'kriminal"),
        ("free: [AT,", "free: [XX,", "'XX' is no two-letter code"),
        ("permit_suffices: false", "permit_sufices: false", "Did you mean 'permit_suffices'?"),
    ],
)
def test_a_profile_that_does_not_fit_is_refused(tmp_path, old, new, words):
    text = PROFILES.joinpath("eu-gdpr.yaml").read_text("utf-8")
    assert old in text
    (tmp_path / "rules.yaml").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(words)):
        load_profile("rules.yaml", tmp_path)


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_says_when_it_was_true_and_where_its_rules_stand(name):
    profile = load_profile(name)
    assert profile.name == name
    assert profile.as_of.year >= 2018
    assert all(country_name(code) for code in (*profile.transfers.free, *profile.transfers.adequate))
    assert not set(profile.transfers.free) & set(profile.transfers.adequate)


def test_the_codes_of_countries_are_all_there():
    content = yaml.safe_load(resources.files("krypsis.release.dossier").joinpath("countries.yaml").read_text("utf-8"))
    assert len(content["codes"]) == 249
    assert all(re.fullmatch("[A-Z]{2}", str(code)) or code is False for code in content["codes"])


def test_a_dossier_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        read_dossier(EUROPEAN).purpose = "another"


def test_a_path_may_be_given_as_one(tmp_path):
    path = Path(tmp_path, "d.yaml")
    path.write_text(yaml.safe_dump(EUROPEAN))
    assert read_dossier(path) == read_dossier(EUROPEAN)
