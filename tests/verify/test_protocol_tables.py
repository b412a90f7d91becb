import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from embspace.settings.pipeline import read_stages
from embspace.verify.protocol import PROTOCOLS, check_protocol, freeze, save
from embspace.verify.protocol_record import record
from embspace.verify.protocol_tables import with_stages_before
from tests.app.cli.call import call
from tests.verify.protocol_tree import DONE, PAIRS, RANDOM, make_study
from tests.verify.tree import SUMMARY, put

TABLE = "theirs/results/similarity/summary/small.csv"
OTHER = "theirs/results/pairs/small.csv"

RUNS: list[str | None] = []


def run_stages(name: str | None, *_: object, **__: object) -> list[str]:
    RUNS.append(name)
    return [stage for stage in DONE if name in (None, stage.partition("@")[0].split("_")[1])]


@pytest.fixture(autouse=True)
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two studies under one protocol, with the same tables."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("embspace.app.run.run_stages", run_stages)
    RUNS.clear()
    make_study()
    freeze("mine")
    record("mine", check_protocol("mine"), DONE)
    shutil.copytree("results", "theirs/results")
    return tmp_path


def verify(*theirs: str) -> tuple[int, str]:
    result = call("verify", "--protocol", "mine", *theirs)
    return result.exit_code, result.stdout + result.stderr


def changed(kind: str, name: str, value: object, inner: str = "") -> None:
    """Change an entry of their record."""
    file = Path("theirs/results/protocol.yaml")
    content = yaml.safe_load(file.read_text())
    entries = content[kind][name] if inner else content[kind]
    entries[inner or name] = value
    save(file, content)


def computed(path: str, content: str) -> None:
    """Write a table of theirs as a run under the protocol does."""
    file = put(path, content)
    place = file.relative_to("theirs/results").as_posix()
    changed("tables", place, hashlib.sha256(content.encode()).hexdigest()[:16])


def test_equal_tables_are_the_same_by_folder_by_study_and_by_table():
    assert verify("theirs/results") == (0, "3 tables: 3 same\n")
    assert verify("theirs") == (0, "3 tables: 3 same\n")
    assert verify(TABLE) == (0, "similarity/summary/small.csv: same\n1 table: 1 same\n")
    one = (0, "similarity/summary/small.csv: same\n1 table: 1 same\n")
    assert verify("theirs/results/similarity") == one


def test_cells_are_held_to_the_tolerance_of_their_column():
    computed(TABLE, SUMMARY.replace("1.5", "1.50014"))
    code, text = verify("theirs")
    assert (code, text.splitlines()[-1]) == (0, "3 tables: 2 same, 1 within tolerance")
    computed(TABLE, SUMMARY.replace("1.5", "1.6"))
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
    computed(TABLE, SUMMARY.replace("1.5", "1.6"))
    code, text = verify("theirs")
    assert code == 1
    assert named in text
    assert "outside" not in text
    assert text.count(": not comparable\n") == concerned


def test_only_what_a_run_made_and_left_so_is_compared():
    put(TABLE, f"{SUMMARY}segment,1,3\n")
    assert verify(TABLE) == (
        1,
        "similarity/summary/small.csv: not recorded\n"
        "  there: changed since the run under the protocol\n1 table: 1 not recorded\n",
    )
    put(TABLE, SUMMARY)
    put("results/pairs/small.csv", PAIRS.replace("0.9", "0.8"))
    assert "here: changed since the run under the protocol" in verify(OTHER)[1]
    Path("theirs/results/protocol.yaml").write_bytes(Path("results/protocol.yaml").read_bytes())
    Path("results/protocol.yaml").unlink()
    record("mine", check_protocol("mine"), ["measure_shapes@small"])
    assert "here: no run under the protocol has made it" in verify(TABLE)[1]


def test_tables_on_a_judge_that_one_study_has_are_not_comparable():
    put("conf/measure/words.yaml", "n_pairs: 10\njudge: large\n")
    put("conf/model/large.yaml", RANDOM.format(seed=3))
    (PROTOCOLS / "mine.yaml").unlink()
    freeze("mine")
    record("mine", check_protocol("mine"), DONE)
    shutil.copytree("results", "theirs/results", dirs_exist_ok=True)
    assert verify("theirs") == (0, "3 tables: 3 same\n")
    put("data/prepared/model/large.json", "{}")  # left over, and read by the stage
    record("mine", check_protocol("mine"), DONE)
    code, text = verify("theirs")
    assert code == 1
    assert "models: large: found not there, frozen: " in text
    assert text.splitlines()[-1] == "3 tables: 2 not comparable, 1 same"


def test_a_text_that_a_setting_names_concerns_its_tables():
    stages = yaml.safe_load(Path("dvc.yaml").read_text())
    words = stages["stages"]["measure_words"]
    words |= {"vars": ["conf/measure/words.yaml:texts"], "deps": ["${texts}"]}
    put("dvc.yaml", yaml.safe_dump(stages))
    put("conf/measure/words.yaml", "texts: data/stimuli/reviews.jsonl\n")
    put("data/stimuli/reviews.jsonl", "{}\n")
    put("conf/train/small.yaml", "steps: 10\n")
    (PROTOCOLS / "mine.yaml").unlink()
    freeze("mine")
    record("mine", check_protocol("mine"), DONE)
    shutil.copytree("results", "theirs/results", dirs_exist_ok=True)
    changed("texts", "data/stimuli/reviews.jsonl", "0")
    assert verify("theirs")[1].splitlines()[-1] == "3 tables: 2 not comparable, 1 same"
    assert "texts: data/stimuli/reviews.jsonl: found 0" in verify(TABLE)[1]
    changed("settings", "conf/train/small.yaml", 20, "steps")
    assert "settings: conf/train/small.yaml: key 'steps': found 20" in verify(OTHER)[1]


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


def test_a_protocol_is_frozen_anew_once_its_file_is_removed():
    put("conf/measure/words.yaml", "n_pairs: 20\n")
    code, text = verify("--update")
    assert code == 1
    assert "remove the file to freeze it anew" in text
    (PROTOCOLS / "mine.yaml").unlink()
    assert verify("--update") == (0, "frozen: data/published/protocols/mine.yaml\n")
    assert verify()[0] == 0


@pytest.mark.parametrize(
    "others",
    [
        ["--all"],
        ["--computed"],
        ["--results", "results"],
        ["--streamed", "x"],
        ["theirs", "--update"],
    ],
)
def test_options_that_do_not_go_together_are_refused(others: list[str]):
    code, text = verify(*others)
    assert code == 1
    words = "freezes this tree" if "--update" in others else "--protocol: goes with none of"
    assert words in text


def test_a_run_under_a_protocol_is_recorded_for_its_own_tables():
    Path("results/protocol.yaml").unlink()
    assert call("run", "words", "--protocol", "mine").exit_code == 0
    assert RUNS == ["words"]
    assert verify("theirs/results/similarity")[0] == 0
    assert verify("theirs")[1].splitlines()[-1] == "3 tables: 2 same, 1 not recorded"
    assert call("run", "shapes", "--protocol", "mine").exit_code == 0
    assert verify("theirs") == (0, "3 tables: 3 same\n")


def test_tables_of_another_state_do_not_stay_recorded():
    put("conf/model/large.yaml", RANDOM.format(seed=3))
    put("params.yaml", Path("params.yaml").read_text().replace("[small]", "[small, large]"))
    assert call("run", "shapes", "--protocol", "mine").exit_code == 0
    tables = yaml.safe_load(Path("results/protocol.yaml").read_text())["tables"]
    assert [*tables] == ["pairs/small.csv"]
