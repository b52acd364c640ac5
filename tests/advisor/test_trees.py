"""The faithful and the extended tree, and the files they are made of."""

import csv
import io
import re
import string

import pytest

from krypsis import registry
from krypsis.advisor import Tree, Wizard, advise, load_tree
from krypsis.advisor.files import read_data
from krypsis.advisor.results import THREATS, references, results
from krypsis.advisor.texts import LANGUAGES, Texts, check_complete, load_texts
from krypsis.advisor.tree import TREES
from krypsis.errors import UsageError

# The 18 paths of the original tool, with the names its author gave the models.
PATHS = """\
answers,result,model,questions
NY,spage01,epsilon-differential privacy,2
NNY,spage03,"(d,gamma)-privacy",3
NNN,spage02,delta-presence,3
YYN,spage05,"(X,Y)-privacy",3
YYYY,spage06,multirelational k-anonymity,4
YYYNY,spage09,m-invariance,5
YYYNNY,spage10,FF-anonymity,6
YYYNNNY,spage08,k^m-anonymity,7
YYYNNNNY,spage04,k-anonymity,8
YYYNNNNNY,spage07,"(c,t)-isolation",9
YYYNNNNNNY,spage11,"(epsilon,m)-anonymity",10
YYYNNNNNNN,spage12,"(k,e)-anonymity",10
YNY,spage13,LKC-privacy,3
YNNY,spage14,personalized privacy,4
YNNNY,spage15,confidence bounding,5
YNNNNY,spage16,"(a,k)-anonymity",6
YNNNNNY,spage17,t-closeness,7
YNNNNNN,spage18,l-diversity,7
"""

# Which model protects from which threat, as the thesis prints it.
COVERED = """\
model,record,attribute,table
k-anonymity,1,0,0
multirelational k-anonymity,1,0,0
"(c,t)-isolation",1,0,0
k^m-anonymity,1,0,0
l-diversity,1,1,0
confidence bounding,0,1,0
"(X,Y)-privacy",1,1,0
"(a,k)-anonymity",1,1,0
LKC-privacy,1,1,0
"(k,e)-anonymity",0,1,0
"(epsilon,m)-anonymity",0,1,0
t-closeness,0,1,0
personalized privacy,0,1,0
FF-anonymity,0,1,0
m-invariance,1,1,0
delta-presence,0,0,1
epsilon-differential privacy,0,0,1
"(d,gamma)-privacy",0,0,1
"""

NAMES = {
    "epsilon-differential privacy": "differential-privacy",
    "(d,gamma)-privacy": "d-gamma-privacy",
    "delta-presence": "delta-presence",
    "(X,Y)-privacy": "xy-privacy",
    "multirelational k-anonymity": "multirelational-k-anonymity",
    "m-invariance": "m-invariance",
    "FF-anonymity": "ff-anonymity",
    "k^m-anonymity": "km-anonymity",
    "k-anonymity": "k-anonymity",
    "(c,t)-isolation": "ct-isolation",
    "(epsilon,m)-anonymity": "em-anonymity",
    "(k,e)-anonymity": "ke-anonymity",
    "LKC-privacy": "lkc-privacy",
    "personalized privacy": "personalized-privacy",
    "confidence bounding": "confidence-bounding",
    "(a,k)-anonymity": "alpha-k-anonymity",
    "t-closeness": "t-closeness",
    "l-diversity": "l-diversity",
}


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def words(letters):
    return [{"Y": "yes", "N": "no"}[letter] for letter in letters]


@pytest.mark.parametrize("row", rows(PATHS), ids=lambda row: row["answers"])
def test_the_answers_lead_to_the_result_of_the_original_tool(row):
    advice = advise(words(row["answers"]), tree="seed")
    assert (advice.page, advice.result) == (row["result"], NAMES[row["model"]])
    assert len(advice.path) == int(row["questions"])


def test_the_faithful_tree_has_17_questions_and_18_results_and_asks_at_most_10():
    seed = load_tree("seed")
    assert (len(seed.questions), len(seed.results), seed.longest_path) == (17, 18, 10)
    assert len(set(seed.results.values())) == 18


@pytest.mark.parametrize("row", rows(COVERED), ids=lambda row: row["model"])
def test_a_model_covers_the_threats_of_the_table(row):
    covered = {threat for threat in THREATS if row[threat] == "1"}
    assert set(results()[NAMES[row["model"]]].threats) == covered


def test_every_combination_of_answers_ends_in_a_result_in_the_extended_tree():
    tree = load_tree("extended")
    reached, open_paths = set(), [(tree.start, ())]
    while open_paths:
        page, before = open_paths.pop()
        if page in tree.results:
            reached.add(page)
            continue
        assert page not in before
        question = tree.questions[page]
        open_paths += [(question.edge(taken).to, (*before, page)) for taken in ("yes", "no")]
    assert reached == set(tree.results)


@pytest.mark.parametrize("page", load_tree("extended").questions)
def test_not_knowing_an_answer_is_possible_at_every_question_of_the_extended_tree(page):
    question = load_tree("extended").questions[page]
    assert question.unknown in {"yes", "no"}


def test_the_extended_tree_can_recommend_each_of_the_18_models_and_those_for_items_networks_axioms_and_cells():
    tree = load_tree("extended")
    edges = [edge for question in tree.questions.values() for edge in (question.yes, question.no)]
    named = {*tree.results.values(), *(name for edge in edges for name in edge.models)}
    networks = {"k-degree-anonymity", "k-neighborhood-anonymity", "vertex-clustering"}
    assert named == set(NAMES.values()) | networks | {"set-diversity", "inference-safety", "dependency-safety"}


def test_structure_is_asked_before_the_sensitive_values():
    tree = load_tree("extended")
    order = list(tree.questions)
    assert all(
        order.index(page) < order.index("page02b") for page in ("page03a", "page04", "page05", "page06", "page07")
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_and_result_has_its_texts(language):
    texts = load_texts(language)
    asked = {question.text for name in TREES for question in load_tree(name).questions.values()}
    assert set(texts.questions) == asked
    assert set(texts.results) == set(results())
    for name, result in results().items():
        assert list(texts.results[name].parameters) == list(result.parameters)


def placeholders(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("part", ["evidence", "warnings", "needs", "reasons", "words"])
def test_both_languages_fill_in_the_same_figures(part):
    english, greek = (getattr(load_texts(language), part) for language in LANGUAGES)
    for key, text in english.items():
        assert placeholders(text) == placeholders(greek[key]), key


def test_greek_questions_are_greek():
    texts = load_texts("el")
    for text in texts.questions.values():
        for sentence in (text.question, text.help, text.example, text.why):
            assert re.search(r"[α-ωά-ώ]{3}", sentence)


def test_a_word_means_one_thing_in_a_language():
    for language in LANGUAGES:
        texts = load_texts(language)
        said = [word for meanings in (texts.answers, texts.commands) for known in meanings.values() for word in known]
        assert len(said) == len({word.casefold() for word in said})


def test_a_text_that_is_missing_is_named():
    content = read_data("texts", "el.yaml")
    del content["questions"]["page05"]
    with pytest.raises(UsageError, match=r"questions of texts/el.yaml: no text for page05"):
        check_complete(Texts(**content), "el")


def test_a_text_that_nobody_asks_for_is_named():
    content = read_data("texts", "el.yaml")
    content["evidence"]["strange"] = "…"
    with pytest.raises(UsageError, match=r"evidence of texts/el.yaml: a text for strange"):
        check_complete(Texts(**content), "el")


def test_every_result_names_a_work_and_an_algorithm():
    for result in results().values():
        assert all(references()[number].work for number in result.references)
        assert result.algorithms


def test_every_work_has_an_address_of_its_own_that_stays():
    """Of the 18 models of the original tool all papers but one have a DOI; that one is kept by its conference."""
    links = [work.link for work in references().values()]
    assert len(set(links)) == len(links)
    others = [link for link in links if not re.fullmatch(r"https://doi\.org/10\.\d{4,5}/\S+", link)]
    assert others == [references()[55].link]
    assert references()[55].link.startswith("https://www.vldb.org/")


AVAILABLE = [name for name, result in results().items() if result.model in registry.classes("model")]


@pytest.mark.parametrize("name", AVAILABLE)
def test_what_is_advised_of_a_model_that_exists_is_accepted_by_it(name):
    tree = Tree.of(
        {
            "name": "one",
            "shape": "graph",
            "start": "page01",
            "questions": {"page01": {"yes": "end", "no": "end"}},
            "results": {"end": name},
        }
    )
    advice = advise(["yes"], tree=tree)
    said = advice.with_values(dict.fromkeys(advice.missing, "1"))
    assert registry.create("model", said.spec).name == said.model


@pytest.mark.parametrize("name", results())
def test_what_comes_next_ends_in_a_model_that_can_be_promised_about_any_table(name):
    known = registry.classes("model")
    last = results()[name].instead[-1] if results()[name].instead else name
    assert results()[last].model in known


def seed_content():
    return read_data("trees", "seed.yaml")


def test_a_new_model_is_one_node_and_one_result_more():
    content = seed_content()
    content["questions"]["page14"]["no"] = "page99"
    content["questions"]["page99"] = {"text": "sensitive", "yes": "spage99", "no": "spage18"}
    content["results"]["spage99"] = "vertex-clustering"
    tree = Tree.of(content)
    assert advise(words("YNNNNNNY"), tree=tree).result == "vertex-clustering"
    assert advise(words("YNNNNNNN"), tree=tree).result == "l-diversity"


def broken(change):
    content = seed_content()
    change(content)
    return content


MISTAKES = {
    "leads to 'page77', which is no page": lambda tree: tree["questions"]["page04"].update(yes="page77"),
    "start leads to 'nowhere'": lambda tree: tree.update(start="nowhere"),
    "no answer leads to spage06": lambda tree: tree["questions"]["page04"].update(yes="page05"),
    "several lead to spage09": lambda tree: (
        tree["questions"]["page14"].update(yes="spage09") or tree["results"].pop("spage17")
    ),
    "result 'k-anonimity', which is not known. Did you mean 'k-anonymity'?": lambda tree: tree["results"].update(
        spage04="k-anonimity"
    ),
    "'unknown' is given for some questions": lambda tree: tree["questions"]["page04"].update(unknown="yes"),
    "a question and a result: page01": lambda tree: tree["results"].update(page01="k-anonymity"),
    "questions.page04.yes": lambda tree: tree["questions"]["page04"].update(yes={"too": "page05"}),
    "questions: Field required": lambda tree: tree.pop("questions"),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_tree_that_leads_nowhere_is_refused_with_the_place(message):
    with pytest.raises(UsageError, match=re.escape(message)):
        Tree.of(broken(MISTAKES[message]))


def test_questions_that_go_round_in_a_circle_are_refused():
    content = broken(lambda tree: tree.update(shape="graph"))
    content["questions"]["page14"]["no"] = {"to": "page13"}
    content["results"].pop("spage18")
    with pytest.raises(UsageError, match=r"circle: .*page13 → page14 → page13"):
        Tree.of(content)


@pytest.mark.parametrize("name", ["sead", "", "../results"])
def test_an_unknown_tree_or_language_is_told_with_the_known_ones(name):
    with pytest.raises(UsageError, match="trees: extended, seed"):
        load_tree(name)
    with pytest.raises(UsageError, match="languages: en, el"):
        Wizard(language=name)


def test_a_tree_with_questions_nobody_has_words_for_is_refused():
    content = seed_content()
    content["questions"]["page14"]["text"] = "mystery"
    with pytest.raises(UsageError, match="questions without texts: mystery"):
        Wizard(Tree.of(content))


@pytest.mark.parametrize(
    ("answers", "result"),
    [("YY", "k-degree-anonymity"), ("YNY", "k-neighborhood-anonymity"), ("YNN", "vertex-clustering")],
)
def test_networks_get_the_model_for_what_the_attacker_knows(answers, result):
    assert advise(words(answers)).result == result
