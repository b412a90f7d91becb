import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from embspace.settings.pipeline import read_stages
from embspace.verify.protocol import check_protocol, freeze, read_state, record, save_state
from embspace.verify.protocol_tables import with_stages_before
from tests.app.cli.call import call
from tests.verify.protocol_tree import PAIRS, make_study
from tests.verify.tree import SUMMARY, put

TABLE = "theirs/results/similarity/summary/small.csv"
OTHER = "theirs/results/pairs/small.csv"

RUNS: list[str | None] = []


@pytest.fixture(autouse=True)
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two studies under one protocol, with the same tables."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("embspace.app.run.run_stages", lambda name, *_, **__: RUNS.append(name))
    RUNS.clear()
    make_study()
    freeze("mine")
    record("mine", check_protocol("mine"))
    shutil.copytree("results", "theirs/results")
    return tmp_path


def verify(*theirs: str) -> tuple[int, str]:
    result = call("verify", "--protocol", "mine", *theirs)
    return result.exit_code, result.stdout + result.stderr


def changed(kind: str, name: str, value: object, inner: str = "") -> None:
    """Change an entry of their record."""
    file = Path("theirs/results/protocol.yaml")
    state = read_state(file, "mine")
    entries = state[kind][name] if inner else state[kind]
    entries[inner or name] = value
    save_state("mine", state, file)


def test_equal_tables_are_the_same_by_folder_by_study_and_by_table():
    assert verify("theirs/results") == (0, "3 tables: 3 same\n")
    assert verify("theirs") == (0, "3 tables: 3 same\n")
    assert verify(TABLE) == (0, "similarity/summary/small.csv: same\n1 table: 1 same\n")


def test_cells_are_held_to_the_tolerance_of_their_column():
    put(TABLE, SUMMARY.replace("1.5", "1.50014"))
    code, text = verify("theirs")
    assert (code, text.splitlines()[-1]) == (0, "3 tables: 2 same, 1 within tolerance")
    put(TABLE, SUMMARY.replace("1.5", "1.6"))
    code, text = verify(TABLE)
    assert code == 1
    assert "similarity/summary/small.csv: outside" in text
    assert "input: mean: here 1.5, there 1.6, allowed ±0.00015" in text


@pytest.mark.parametrize(
    ("change", "named", "concerned"),
    [
        (("settings", "conf/measure/words.yaml", 20, "n_pairs"), "key 'n_pairs': found 20", 2),
        (("code", "measure_words", "0"), "code: measure_words: found 0", 2),
        (("texts", "data/texts/articles.jsonl", "0"), "texts: data/texts/articles.jsonl", 2),
        (("models", "small", "0"), "models: small: found 0", 3),
        (("packages", "numpy", "9"), "packages: numpy: found 9, frozen: 2.4.6", 3),
        (("params", "params.yaml", 9, "seed"), "params: params.yaml: key 'seed': found 9", 3),
    ],
)
def test_what_differs_makes_the_tables_that_hang_on_it_not_comparable(
    change: tuple, named: str, concerned: int
):
    changed(*change)
    put(TABLE, SUMMARY.replace("1.5", "1.6"))
    code, text = verify("theirs")
    assert code == 1
    assert named in text
    assert "outside" not in text
    assert text.count(": not comparable\n") == concerned


def test_a_table_that_is_not_computed_here_is_named():
    Path("results/pairs/small.csv").unlink()
    assert verify(OTHER) == (
        1,
        "pairs/small.csv: not computed here\n1 table: 1 not computed here\n",
    )


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda: Path("theirs/results/protocol.yaml").unlink(), "no protocol.yaml there or above"),
        (
            lambda: Path("results/protocol.yaml").unlink(),
            "run --protocol mine` writes it",
        ),
        (lambda: put(OTHER, PAIRS).parent.rename("away"), "theirs/results/pairs/small.csv: not"),
    ],
)
def test_without_records_or_files_nothing_is_compared(prepare: Callable[[], object], words: str):
    prepare()
    code, text = verify(OTHER)
    assert code == 1
    assert words in text


def test_stages_before_are_found_through_what_they_make():
    assert with_stages_before({"measure_words"}, read_stages(Path())) == {
        "measure_words",
        "prepare_texts",
    }


def test_a_folder_goes_with_a_protocol_alone():
    result = call("verify", "theirs")
    assert result.exit_code == 1
    assert "goes with --protocol alone" in result.stderr


def test_a_tree_is_checked_frozen_and_not_run_if_it_differs():
    assert verify() == (0, "this tree is as frozen under mine\n")
    put("conf/measure/words.yaml", "n_pairs: 20\n")
    code, text = verify()
    assert code == 1
    assert "conf/measure/words.yaml: key 'n_pairs': found 20, frozen: 10" in text
    result = call("run", "words", "--protocol", "mine")
    assert result.exit_code == 1
    assert not RUNS
    assert "key 'n_pairs': found 20, frozen: 10" in result.stderr
    assert verify("--update") == (0, "frozen: data/published/protocols/mine.yaml\n")
    assert verify()[0] == 0


def test_a_run_under_a_protocol_is_recorded():
    Path("results/protocol.yaml").unlink()
    assert call("run", "words", "--protocol", "mine").exit_code == 0
    assert RUNS == ["words"]
    assert verify("theirs") == (0, "3 tables: 3 same\n")
