from pathlib import Path

import pandas as pd
import pytest

from benchmarks import mutants
from benchmarks.mutants import (
    KEYS,
    TESTED,
    TRIED,
    Drawn,
    all_mutants,
    digest,
    draw_mutants,
    is_noticed,
    keep,
    mutants_page,
    run_mutants,
    suites_of,
    with_sample,
)
from benchmarks.mutations import Mutant

MODULE = "src/embspace/geometry/twice.py"
CODE = "def twice(x: float) -> float:\n    return 2 * x\n"
TEST = "from embspace.geometry.twice import twice\n\ndef test_it():\n    assert twice({x}) == {y}\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    put = {
        MODULE: CODE,
        "src/embspace/__init__.py": "",
        "src/embspace/geometry/__init__.py": "",
        "src/embspace/measure/__init__.py": "",
        "tests/geometry/test_twice.py": TEST.format(x=0, y=0),
        "tests/geometry/test_other.py": "def test_other():\n    pass\n",
    }
    for name, text in put.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_mutants_are_drawn_by_the_seed_without_replacement(tree: Path):
    known = all_mutants(tree)
    assert [drawn.mutant.after for drawn in draw_mutants(known, 10, 0)] == ["2 / x", "3"]
    assert draw_mutants(known, 1, 3) == draw_mutants(known, 1, 3)


def test_a_sample_is_drawn_once_and_of_what_is_in_no_other(tree: Path):
    known = all_mutants(tree)
    none = pd.DataFrame(columns=["seed", *KEYS, "before", "after"])
    first = with_sample(none, known, 1, 0)
    assert with_sample(first, known, 1, 0) is first
    both = with_sample(first, known, 10, 1)
    assert both["seed"].tolist() == [0, 1]
    assert set(both["becomes"]) == {"return 2 / x", "return 3 * x"}
    assert set(both["function"]) == {"twice"} and set(both["module"]) == {"geometry/twice.py"}


@pytest.mark.slow
def test_a_mutant_is_noticed_by_a_test_that_tells_it(tree: Path):
    divided, tripled = all_mutants(tree)
    assert is_noticed(tree, divided)  # 2 / 0
    assert not is_noticed(tree, tripled)  # 3 * 0 is 0, too
    (tree / "tests/geometry/test_more.py").write_text(TEST.format(x=1, y=2))
    assert is_noticed(tree, tripled)
    assert (tree / MODULE).read_text() == CODE


def test_what_was_tried_is_tried_anew_with_other_tests_alone(
    tree: Path, monkeypatch: pytest.MonkeyPatch
):
    tried_anew: list[Drawn] = []
    monkeypatch.setattr(mutants, "_copy", lambda root, _: root)
    monkeypatch.setattr(mutants, "is_noticed", lambda _, drawn: tried_anew.append(drawn) or True)
    one, other = all_mutants(tree)
    keep(tree / TRIED / digest(tree, one), False)
    for _ in range(2):
        assert run_mutants(tree, [one, other], 1) == [one, other._replace(is_noticed=True)]
    assert tried_anew == [other]
    (tree / "tests/geometry/test_twice.py").write_text(TEST.format(x=1, y=2))
    assert run_mutants(tree, [one], 1) == [one._replace(is_noticed=True)]
    assert tried_anew == [other, one]


def test_the_suites_of_a_module_come_before_others_that_name_it(tree: Path):
    (tree / "tests/geometry/test_more.py").write_text(TEST)
    assert list(suites_of(MODULE, tree)) == [
        ["tests/geometry/test_twice.py"],
        ["tests/geometry/test_more.py"],
    ]


def test_a_private_module_has_the_tests_of_those_that_import_it(tree: Path):
    (tree / "src/embspace/geometry/_loops.py").write_text(CODE)
    (tree / MODULE).write_text("from embspace.geometry._loops import twice\n")
    assert list(suites_of("src/embspace/geometry/_loops.py", tree)) == [
        ["tests/geometry/test_twice.py"]
    ]


def test_a_private_module_is_followed_to_public_ones_of_other_folders(tree: Path):
    put = {
        "src/embspace/geometry/scan/_loops.py": CODE,
        "src/embspace/geometry/scan/_blocks.py": (
            "from embspace.geometry.scan._loops import (\n    twice,\n)\n"
        ),
        MODULE: "def f():\n    from embspace.geometry.scan import _rows, _blocks\n",
        "src/embspace/geometry/other.py": "from embspace.geometry.scan._loops_of import once\n",
        "tests/geometry/scan/test_loops.py": TEST,
    }
    for name, text in put.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    assert list(suites_of("src/embspace/geometry/scan/_loops.py", tree)) == [
        ["tests/geometry/scan/test_loops.py", "tests/geometry/test_twice.py"]
    ]


def test_the_page_counts_what_is_not_noticed_but_for_equal_changes():
    tried = [
        Drawn(MODULE, Mutant(2, "2 * x", "2 / x", "f", "2 / x", ""), is_noticed=True),
        Drawn(MODULE, Mutant(2, "2", "3", "f", "3 * x", ""), is_noticed=False),
        Drawn(MODULE, Mutant(3, "2", "3", "g", "3 * x", ""), is_noticed=False),
    ]
    rows = [(0, *drawn.key, drawn.mutant.before, drawn.mutant.after) for drawn in tried]
    rows += [(0, "geometry/gone.py", "f", "x < 0", "x <= 0", "x < 0")]
    samples = pd.DataFrame(rows, columns=["seed", *KEYS, "before", "after"])
    equal = samples.iloc[[1]].assign(reason="it is rounded")
    page = mutants_page(samples, tried, equal)
    assert "|geometry|3|1|1|0.500|" in page.replace(" ", "")
    assert "Of the 2 that count 1 are noticed, 50.0%. 1 more were" in page
    assert page.count("it is rounded") == 1 and page.count("twice.py") == 2
    assert "2 / x" not in page


def test_the_share_of_all_is_told_by_samples_without_tests_alone():
    mutant = Mutant(2, "2", "3", "f", "3 * x", "")
    tried = [Drawn(MODULE, mutant._replace(function=f"f{i}"), is_noticed=True) for i in range(20)]
    rows = [(1, *drawn.key, "2", "3") for drawn in tried]
    samples = pd.DataFrame(rows, columns=["seed", *KEYS, "before", "after"])
    equal = pd.DataFrame(columns=[*KEYS, "reason"])
    # Of 20 that are all noticed, by Clopper and Pearson: from 0.025 ** (1 / 20).
    assert "Of all others it is 83% to 100%" in mutants_page(samples, tried, equal)
    for seed in TESTED:
        assert "Of all others" not in mutants_page(samples.assign(seed=seed), tried, equal)
