"""Holds the prose to the results, and the marks to what they should notice."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from embspace.published.numbers import agrees
from tests.prose import PAGES, fill, problems
from tests.prose.marks import printed_like
from tests.prose.results import MarkError, Results

BASELINES = "tests/baselines"

PROFILES = "offset,n,mean\n1,507,0.854\n2,506,0.594\n3,1505,-0.0441\n4,,\n"
LEDGER = """row,kind,statement,verdict
1,number,Cosines of tokens: mean,differs
2,claim,Positions wind.,matches
3,claim,They wind in 22.,differs
4,claim,They wind for ever.,undecided
"""
AUC = '{"raw": {"auc": 0.998637}}'


def test_the_prose_holds(root: Path) -> None:
    sentences = problems(root, BASELINES)
    assert not sentences, "\n" + "\n".join(sentences)


def test_the_output_that_the_docs_show_is_that_of_the_default_model(root: Path) -> None:
    shown = r"^results/(\w+)/minilm\.json +(\S+) +(\S+) +\3 "
    lines = re.findall(shown, (root / "docs/your_models.md").read_text(), re.MULTILINE)
    assert lines
    for noun, key, number in lines:
        ours = Results(root / BASELINES).number(f"{noun}.json {key}")
        assert agrees(str(ours), number, factor=1, tolerance=None), (noun, key, ours)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two pages without numbers, and three results."""
    for file, text in {
        "results/positions/profiles/minilm.csv": PROFILES,
        "results/ledger/minilm.csv": LEDGER,
        "results/separability/toy.json": AUC,
        **dict.fromkeys(PAGES, "\n"),
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    return tmp_path


def found_in(tree: Path, text: str, page: str = "README.md") -> list[str]:
    (tree / page).write_text(text)
    return problems(tree, "results")


HOLD = [
    "0.85<!-- positions/profiles.csv mean offset=1 -->",
    "85<!-- positions/profiles.csv mean offset=1 x100 --> %",
    "1,505<!-- positions/profiles.csv max(n) offset<4 -->",
    "1.5<!-- positions/profiles.csv n offset=3 x1e-3 -->k",
    "-0.04<!-- positions/profiles.csv min(mean) n>0 -->",
    "+0.59<!-- positions/profiles.csv mean offset>1 offset<3 -->",
    "1<!-- positions/profiles.csv rows() n<507 n>100 offset<3 -->",
    "0<!-- positions/profiles.csv rows() offset=7 -->",
    "1.448<!-- positions/profiles.csv sum(mean) offset<3 -->",
    "3<!-- positions/profiles.csv rows() mean<n -->",
    "0<!-- positions/profiles.csv rows() mean>n -->",
    "0.9986<!-- separability.json raw.auc -->",
    '(row 3<!-- ledger.csv row verdict=differs statement="They wind in*" -->)',
]


@pytest.mark.parametrize("text", HOLD)
def test_what_the_results_have_holds(tree: Path, text: str) -> None:
    assert found_in(tree, f"So {text}, it is.\n") == []


FAIL = [
    ("0.86<!-- positions/profiles.csv mean offset=1 -->", r"the results have 0\.854$"),
    ("0.9987<!-- separability.json raw.auc -->", r"the results have 0\.998637$"),
    ("0.85<!-- positions/profile.csv mean offset=1 -->", "there is no results/positions/profile"),
    ("0.85<!-- positions/profiles.csv median offset=1 -->", "no column 'median'; allowed: offset"),
    ("0.85<!-- positions/profiles.csv mean layer=1 -->", "no column 'layer'; allowed: offset"),
    ("0.85<!-- positions/profiles.csv mean offset=7 -->", "expected one row, found 0"),
    ("0.85<!-- positions/profiles.csv mean offset<3 -->", "expected one row, found 2"),
    ("0.85<!-- positions/profiles.csv max(mean) offset=7 -->", "expected one row, found 0"),
    ("0<!-- positions/profiles.csv sum(n) offset=7 -->", "expected one row, found 0"),
    ("0<!-- positions/profiles.csv sum(n) offset<3 -->", r"the results have 1013$"),
    ("3<!-- positions/profiles.csv rows() offset>mean -->", "expected a number, found ''"),
    ("0.85<!-- positions/profiles.csv mean offset=4 -->", "expected a number, found ''"),
    ("0.85<!-- positions/profiles.csv mean first -->", "'first': expected column=value"),
    ("0.85<!-- positions/profiles.csv mean offset<b -->", "expected a number, found 'b'"),
    ("0.85<!-- positions/profiles.csv -->", "expected a file, a column and the cells"),
    ("0.85<!-- positions/profiles.csv mean 'offset=1 -->", "cannot be read: No closing quotation"),
    ("0.85 <!-- positions/profiles.csv mean offset=1 -->", "stands directly behind no number"),
]


@pytest.mark.parametrize(("text", "expected"), FAIL, ids=[expected for _, expected in FAIL])
def test_what_does_not_hold_is_named(tree: Path, text: str, expected: str) -> None:
    sentences = [
        sentence for sentence in found_in(tree, f"\nSo {text}.\n") if "has no mark" not in sentence
    ]
    assert len(sentences) == 1
    assert sentences[0].startswith("README.md:2: ")
    assert re.search(expected, sentences[0]), sentences[0]


@pytest.mark.parametrize(
    "number", ["0.85", "-0.85", ".85", "85 %", "85.5 %", "1,505", "±0.2", "1,505.5"]
)
def test_a_number_that_looks_like_a_result_needs_a_mark(tree: Path, number: str) -> None:
    assert found_in(tree, f"\nSo it is ({number}).\n") == [f"README.md:2: {number}: has no mark"]


@pytest.mark.parametrize(
    "text",
    ["`0.85`", "```\n0.85\n```", "[here](a_0.85.md)", "in 2024, 7 layers", "2.13.0", "Python 3.11"],
)
def test_code_addresses_versions_and_bare_integers_need_none(tree: Path, text: str) -> None:
    assert found_in(tree, f"See\n{text}\nthere.\n") == []


def test_filling_writes_what_the_results_have_and_leaves_the_rest(tree: Path) -> None:
    mark = "<!-- positions/profiles.csv mean offset=1 -->"
    percent, broken = mark.replace(" -->", " x100 -->"), mark.replace("=1", "=7")
    text = "At 1 it is {}" + mark + ", or {}" + percent + " %, not {}" + broken + ".\n"
    for page in PAGES:
        (tree / page).write_text(text.format("0.6", "-3.10", "0.60"))
    fill(tree)
    for page in PAGES:
        assert (tree / page).read_text() == text.format("0.9", "85.40", "0.60")


def test_filling_leaves_what_holds(root: Path, tree: Path) -> None:
    half = "0.5<!-- positions/profiles.csv mean offset=1 -->\n"
    (tree / "results/positions/profiles/minilm.csv").write_text("offset,mean\n1,0.45\n")
    (tree / "README.md").write_text(half)
    fill(tree)
    assert (tree / "README.md").read_text() == half


@pytest.mark.parametrize(
    ("printed", "ours", "expected"),
    [
        ("1,234", "98765.4", "98,765"),
        ("1234", "98765.4", "98765"),
        ("+0.10", "0.256", "+0.26"),
        ("+0.10", "-0.256", "-0.26"),
        ("-0.10", "0.001", "0.00"),
        ("-0.10", "-0.001", "0.00"),
        ("0.0", "1e-7", "0.0"),
        ("7", "12", "12"),
    ],
)
def test_a_number_keeps_the_form_that_it_was_printed_in(
    printed: str, ours: str, expected: str
) -> None:
    assert printed_like(printed, Decimal(ours)) == expected


def test_a_broken_table_is_no_mark(tree: Path) -> None:
    with pytest.raises(MarkError, match="no results/separability"):
        Results(tree / "results").number("separability.csv raw.auc")
