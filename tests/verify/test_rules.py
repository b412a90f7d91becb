from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.verify.rules import Kind, read_tolerances, rules_of
from tests.verify.tree import TOLERANCES, put, rules


def test_a_tolerance_is_the_larger_of_the_two():
    kind = Kind(relative=1e-2, absolute=1e-3, reason="rounding")
    assert kind.allowed(-5.0) == 5e-2
    assert kind.allowed(0.01) == 1e-3


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("mean", "moment"),
        ("segment.norm_0", "moment"),
        ("n", "count"),
        ("a.b.n", "count"),
        ("normal", None),
        ("nn", None),
    ],
)
def test_a_key_is_found_by_its_last_part_or_a_pattern(key: str, name: str | None):
    kind = rules().kind(key)
    assert kind == (rules().kinds[name] if name else None)


def test_a_dotted_key_goes_before_its_last_part(tree: Path):
    put(
        "tests/baselines/tolerances.yaml",
        TOLERANCES.replace("  n: count", "  n: count\n  a.n: moment"),
    )
    rules = rules_of(read_tolerances(), Path("x/small.json"))
    assert rules.kind("a.n") == rules.kinds["moment"]
    assert rules.kind("b.n") == rules.kinds["count"]


def test_a_folder_may_have_its_own_rules():
    assert rules("pairs/small.csv").kind("cosine") == rules().kinds["cosine"]
    assert rules().kind("cosine") is None
    assert rules("pairs/small.csv").ranked is not None
    assert rules().ranked is None


def test_a_list_without_the_columns_that_rank_it_is_a_plain_table():
    assert rules("pairs/small.csv").for_columns(["rank", "first", "cosine"]).ranked is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "mean: moment",
            "mean: momentum",
            "'columns.mean': the kind 'momentum' is unknown; .*moment",
        ),
        ("{cosine: cosine", "{cosine: angle", "'files.pairs.columns.cosine': the kind 'angle'"),
        ("{mean: cosine}", "{mean: angle}", "'rows.similarity.columns.mean': the kind 'angle'"),
        ("{space: positional}", "{}", "'rows.similarity.where': .*at least 1"),
        ("exact: true, ", "", "'kinds.count': .*expected either `exact: true`"),
        ("absolute: 1.0e-3", "absolute: 1.0e-3, exact: true", "'kinds.cosine': .*expected either"),
        ("absolute: 1.0e-3", "absolute: 1.0e-3, free: true", "'kinds.cosine': .*expected either"),
        (", reason: a name", "", "key 'kinds.row.reason' is missing"),
        ("1.0e-3", "1e-3", "key 'kinds.cosine.absolute': .*found '1e-3'"),
        ("1.0e-3", "-1.0", "key 'kinds.cosine.absolute': .*greater than or equal to 0"),
        ("files:", "tables:", "key 'tables' is unknown"),
    ],
)
def test_what_does_not_fit_is_named(tree: Path, old: str, new: str, message: str):
    assert old in TOLERANCES
    put("tests/baselines/tolerances.yaml", TOLERANCES.replace(old, new))
    with pytest.raises(InputError, match=r"tests/baselines/tolerances\.yaml: .*" + message):
        read_tolerances()


def test_a_tree_without_rules_is_named(tree: Path):
    Path("tests/baselines/tolerances.yaml").unlink()
    with pytest.raises(InputError, match=r"tests/baselines/tolerances\.yaml: not found"):
        read_tolerances()


def test_the_projects_own_rules_fit(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    tolerances = read_tolerances()
    assert all(len(kind.reason) > 10 for kind in tolerances.kinds.values())
