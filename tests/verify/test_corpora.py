from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from embspace.compare.measures import MEASURES
from embspace.published.contents import Contents, read_contents
from embspace.published.sources import Source
from embspace.verify.corpora import (
    JOINT,
    Corpora,
    comparable,
    corpora_before,
    is_whole,
    joint_columns,
    left_out,
    resting_statements,
)
from tests.verify.tree import table

BEFORE = ("one", "two", "three")
CLOUDS = Path("text_clouds/spectrum/small.csv")
SOURCE = Source.model_validate(
    {
        "source": "a thesis",
        "protocol": "theirs",
        "decided": {"when": "after results", "why": "it is so"},
        "entries": [
            {
                "quantity": "texts",
                "model": "any",
                "file": "results/texts/{model}.csv",
                "where": {"corpus": "two"},
                "published": {"n_texts": "1"},
            }
        ],
        "claims": [
            {
                "claim": claim,
                "section": "1",
                "page": 1,
                "statistic": "s",
                "cell": {"file": f"results/{file}/{{model}}.csv", "where": where, "value": value},
                "holds_if": "value > 0",
            }
            for claim, file, where, value in (
                ("of one corpus", "text_clouds/spectrum", {"corpus": "one"}, "ratio"),
                ("cut to the smallest", "text_clouds/spectrum", {"corpus": "one"}, "equal_n_ratio"),
                ("on the map", "text_maps/neighbors", {"corpus": "one"}, "share"),
                ("of another", "evolution/steps", {"tokens": "two"}, "mean"),
                ("of a sentence", "evolution/steps", {"tokens": "cat"}, "mean"),
            )
        ],
    }
)


def without_two() -> Corpora:
    return Corpora(BEFORE, ("one", "three"))


def test_corpora_are_those_of_the_table_that_has_most_and_in_its_order():
    tables = [
        table("corpus n\nthree 1"),
        table("corpus other_corpus\none one\none two\nthree two"),
        table("space n\ninput 1"),
    ]
    assert corpora_before(tables, ["else"]) == ("one", "two", "three")
    assert corpora_before([tables[2]], ["else"]) == ("else",)


@pytest.mark.parametrize(
    ("now", "changed"),
    [
        (BEFORE, False),
        (("one", "two"), True),
        ((*BEFORE, "four"), True),
        (("two", "one", "three"), True),  # pairs of corpora then are the other way round
    ],
)
def test_the_order_of_corpora_counts(now: tuple[str, ...], changed: bool):
    assert Corpora(BEFORE, now).changed is changed


@pytest.mark.parametrize(
    ("names", "both"),
    [
        (["one"], True),
        (["two"], False),
        (["one", "three"], False),  # turned round
        (["one", "one"], True),
        (["four"], False),
        ([], True),
    ],
)
def test_both_sides_have_what_neither_lacks_or_turns_round(names: list[str], both: bool):
    assert Corpora(BEFORE, ("three", "one", "four")).have(names) is both


def test_nothing_is_left_out_while_the_corpora_stay():
    contents = table("corpus equal_n\none 1\nother 2")
    assert comparable(CLOUDS, contents, Corpora(BEFORE, BEFORE), []) is contents


def test_rows_about_a_corpus_of_one_side_and_joint_columns_go():
    contents = table(
        "corpus other_corpus auc n\none one 1 1\none two 1 2\ntwo three 1 3\none three 1 4"
    )
    kept = comparable(Path("text_clouds/separation/small.csv"), contents, without_two(), [])
    assert kept.columns == ("corpus", "other_corpus", "n")
    assert [row["n"] for row in kept.rows] == ["1", "4"]


def test_a_group_of_a_comparison_is_about_the_corpora_that_it_names():
    groups = ["one / mean", "two / mean", "cat / two", "two-fold / mean"]
    rows = [{"noun": "evolution", "group": group} for group in groups]
    rows.append({"noun": "differences", "group": "two / mean"})
    rows.append({"noun": "search", "group": "one / two / as_is"})
    rows += [{"noun": "search", "group": "two / mean / as_is"}]
    rows += [{"noun": "text_clouds", "group": "one / two / mean / norm"}]
    contents = Contents(("noun", "group"), tuple(rows))
    left = comparable(Path("measures/small--large.csv"), contents, without_two(), [])
    assert list(left.rows) == [rows[0], *rows[2:-2]]


def test_texts_named_like_a_corpus_are_one_in_evolution_alone():
    contents = table("tokens mean\ncat 1\ntwo 2\none 3")
    evolution = comparable(Path("evolution/layers/small.csv"), contents, without_two(), [])
    assert [row["tokens"] for row in evolution.rows] == ["cat", "one"]
    pairs = comparable(Path("similarity/pairs/small.csv"), contents, without_two(), [])
    assert len(pairs.rows) == 3


def test_rows_of_the_ledger_that_rest_on_what_changed_go():
    resting = {"texts: n texts", "cut to the smallest", "on the map", "of another"}
    assert resting_statements([SOURCE], without_two()) == resting
    rows = tuple({"statement": statement} for statement in [*sorted(resting), "of one corpus"])
    contents = Contents(("statement",), rows)
    kept = comparable(Path("ledger/small.csv"), contents, without_two(), [SOURCE])
    assert [row["statement"] for row in kept.rows] == ["of one corpus"]


@pytest.mark.parametrize(
    ("file", "whole", "words"),
    [
        ("text_maps/quality/small.csv", True, "all"),
        ("ledger/small.json", True, "all"),
        ("ledger/small.csv", False, "what rests on these"),
        ("text_clouds/spectrum/small.csv", False, "the columns equal_n*, null_*"),
        ("text_clouds/corpora/small.csv", False, ""),
        ("similarity/summary/small.csv", False, ""),
    ],
)
def test_what_is_left_out_is_said(file: str, whole: bool, words: str):
    assert (is_whole(Path(file)), left_out(Path(file))) == (whole, words)


def test_every_joint_column_is_there_in_the_results(root: Path):
    # A renamed column would otherwise be compared without a word, and drift.
    for folder, patterns in JOINT.items():
        files = list((root / "results").glob(f"{folder}/*.csv"))
        columns = [column for file in files for column in read_contents(file).columns]
        columns += (
            [*MEASURES.tables["csv"].columns] if folder == "measures" else []
        )  # of no pair in params.yaml
        for pattern in patterns:
            assert any(fnmatchcase(column, pattern) for column in columns), (folder, pattern)


def test_columns_by_pattern():
    columns = ("corpus", "equal_n", "equal_n_ratio", "null_ratio", "ratio")
    assert joint_columns(CLOUDS, columns) == ("equal_n", "equal_n_ratio", "null_ratio")
    assert joint_columns(Path("similarity/small.csv"), columns) == ()
