from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.published.numbers import SourceReport, agrees, check_published
from embspace.published.subjects import Subject
from tests.verify.tree import put

SMALL = Subject("small", "maker/small")
PAIRS = "layer,first,second,cosine,distance\n6,a,b,0.66595,2.5\n6,c,a,0.1,3\n5,a,b,0.2,4\n"


def check(entry: str, models: tuple[str, ...] = ("small",)) -> SourceReport:
    put("results/pairs/small.csv", PAIRS)
    put(
        "data/published/paper.yaml",
        "source: a paper\nprotocol: theirs\nentries:\n"
        f"  - {{quantity: q, model: maker/small, file: 'results/pairs/{{model}}.csv', {entry}}}\n",
    )
    subjects = [Subject(model, f"maker/{model}") for model in models]
    (report,) = check_published(Path("results"), subjects, ["one"])
    return report


def verdict(entry: str) -> tuple[str, str]:
    (number,) = check(entry).checks
    return number.verdict, number.ours


@pytest.mark.parametrize(
    ("ours", "printed", "expected"),
    [
        ("0.66595", "0.6660", True),  # half a unit of the last digit
        ("0.665949", "0.6660", False),
        ("0.66605", "0.6660", True),
        ("0.666051", "0.6660", False),
        ("0.665949", "0.666", True),
        ("1.5", "1.50", True),
        ("1.495", "1.50", True),
        ("1.4949", "1.50", False),
        ("4", "4", True),
        ("5", "4", False),
        ("-0.0049", "0.00", True),
        ("0.0051", "-0.00", False),
        ("7.4e-09", "7.4506E-09", False),
        ("7.45064e-09", "7.4506E-09", True),
        (0.48, "0.48", True),
        ("", "0.00", False),
        (None, "0.00", False),
        ("nan", "0.00", False),
        ("the", "0.00", False),
    ],
)
def test_the_printed_digits_are_the_tolerance(ours, printed: str, expected: bool):
    assert agrees(ours, printed, 1, None) is expected


def test_an_explicit_tolerance_takes_its_place():
    assert agrees("0.7", "0.6660", 1, 0.034)
    assert not agrees("0.7", "0.6660", 1, 0.0339)


def test_a_row_is_chosen_by_its_cells(tree: Path):
    chosen = "where: {layer: 6, first: a, second: b}, published: {cosine: '0.6660'}"
    assert verdict(chosen) == ("agrees", "0.66595")
    assert verdict(chosen.replace("6660", "6670")) == ("DIFFERS", "0.66595")


@pytest.mark.parametrize("values", ["[a, c]", "[c, a]"])
def test_a_pair_may_stand_in_either_order(tree: Path, values: str):
    pair = f"pair: {{columns: [first, second], values: {values}}}"
    assert verdict(f"where: {{layer: 6}}, {pair}, published: {{cosine: '0.10'}}") == (
        "agrees",
        "0.1",
    )


def test_a_factor_turns_the_sign(tree: Path):
    report = check("where: {layer: 5}, factor: -1, published: {distance: '-4.0'}")
    (number,) = report.checks
    assert (number.verdict, number.ours, number.quantity) == (
        "agrees",
        "-4",
        "q: negative distance",
    )


def test_one_row_may_have_several_numbers(tree: Path):
    report = check("where: {layer: 5}, published: {distance: '4', cosine: '0.3'}")
    assert [(number.quantity, number.verdict) for number in report.checks] == [
        ("q: distance", "agrees"),
        ("q: cosine", "DIFFERS"),
    ]


def test_a_json_key_is_dotted(tree: Path):
    put(
        "data/published/paper.yaml",
        "source: a paper\nprotocol: theirs\nentries:\n"
        "  - {quantity: q, model: maker/small, file: 'results/interrelations/{model}.json',"
        " published: {segment.norm_0: '0.50'}}\n",
    )
    (report,) = check_published(Path("results"), [SMALL], ["one"])
    assert [(number.quantity, number.verdict) for number in report.checks] == [
        ("q: norm 0", "agrees")
    ]


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ("where: {layer: 7}, published: {cosine: '1'}", "no such row in results/pairs/small.csv"),
        ("where: {layer: 5}, published: {sine: '1'}", "no 'sine' in results/pairs/small.csv"),
        ("where: {level: 5}, published: {cosine: '1'}", "no such row in results/pairs/small.csv"),
    ],
)
def test_what_is_not_there_is_missing(tree: Path, entry: str, ours: str):
    assert verdict(entry) == ("MISSING", ours)


def test_a_file_that_is_not_there_is_missing(tree: Path):
    put("data/published/paper.yaml", "")
    report = check("where: {layer: 5}, published: {cosine: '1'}")
    Path("results/pairs/small.csv").unlink()
    (report,) = check_published(Path("results"), [SMALL], ["one"])
    assert [(number.verdict, number.ours) for number in report.checks] == [
        ("MISSING", "no results/pairs/small.csv")
    ]


def test_rows_of_different_values_are_no_choice(tree: Path):
    with pytest.raises(InputError, match=r"small\.csv: 'q: cosine' fits rows of different cosine"):
        check("where: {layer: 6}, published: {cosine: '0.1'}")


def test_the_nearest_of_all_rows_may_be_asked_for(tree: Path):
    """As a change among many, whichever number it has."""
    assert verdict("nearest: true, published: {distance: '3.9'}") == ("DIFFERS", "4")
    assert verdict("nearest: true, published: {distance: '2.5'}") == ("agrees", "2.5")


def test_rows_of_one_value_are_one(tree: Path):
    assert (
        verdict("where: {first: a, second: b, layer: 5}, published: {cosine: '0.2'}")[0] == "agrees"
    )


def test_numbers_of_other_models_are_counted(tree: Path):
    report = check("published: {cosine: '1', distance: '2'}", models=("large",))
    assert (report.checks, report.not_measured) == ((), {"maker/small": 2})


def test_a_number_about_a_corpus_that_is_not_in_params_needs_that_corpus(tree: Path):
    where = "where: {corpus: two, layer: 5}, published: {cosine: '1'}"
    report = check(where)
    assert (report.checks, report.not_measured) == ((), {"corpus two": 1})


def test_a_number_about_other_stimuli_is_not_asked_for(tree: Path):
    given = "given: {what: the pairs, file: 'results/pairs/{model}.csv', where: {layer: %d}}"
    entry = "where: {layer: 5}, published: {distance: '4'}, "
    assert verdict(entry + given % 6)[0] == "agrees"
    lacking = check(entry + given % 7)
    assert lacking.checks == ()
    assert lacking.not_measured == {"the pairs": 1}


def test_a_number_that_needs_no_weights_is_asked_of_every_model(tree: Path):
    put("results/pairs/other.csv", PAIRS.replace("5,a,b,0.2,4", "5,a,b,0.2,5"))
    put("results/pairs/small.csv", PAIRS)
    put(
        "data/published/paper.yaml",
        "source: a paper\nprotocol: theirs\nentries:\n  - {quantity: q, model: any, file: "
        "'results/pairs/{model}.csv', where: {layer: 5}, published: {distance: '4'}}\n",
    )
    (report,) = check_published(Path("results"), [Subject("other", None), SMALL], ["one"])
    assert [number.verdict for number in report.checks] == ["DIFFERS", "agrees"]
