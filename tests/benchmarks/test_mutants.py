from pathlib import Path

import pandas as pd
import pytest

from benchmarks.mutants import Drawn, draw_mutants, is_noticed, mutants_page, suites_of
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
    drawn = draw_mutants(tree, 10, 0)
    assert [each.mutant.after for each in drawn] == ["2 / x", "3"]
    assert draw_mutants(tree, 1, 3) == draw_mutants(tree, 1, 3)


def test_a_mutant_is_noticed_by_a_test_that_tells_it(tree: Path):
    divided, tripled = draw_mutants(tree, 2, 0)
    assert is_noticed(tree, divided)  # 2 / 0
    assert not is_noticed(tree, tripled)  # 3 * 0 is 0, too
    (tree / "tests/geometry/test_more.py").write_text(TEST.format(x=1, y=2))
    assert is_noticed(tree, tripled)
    assert (tree / MODULE).read_text() == CODE


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
        Drawn(MODULE, Mutant(2, "2 * x", "2 / x", ""), is_noticed=True),
        Drawn(MODULE, Mutant(2, "2", "3", ""), is_noticed=False),
        Drawn(MODULE, Mutant(3, "a|b", "a", ""), is_noticed=False),
    ]
    equal = pd.DataFrame(
        [["geometry/twice.py", "2", "3", "it is rounded"]],
        columns=["module", "before", "after", "reason"],
    )
    page = mutants_page(tried, equal, 0)
    assert "|geometry|3|1|1|0.500|" in page.replace(" ", "")
    assert "it is rounded" in page
    assert "2 / x" not in page
