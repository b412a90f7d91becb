from pathlib import Path

import pytest
import yaml

from embspace.errors import InputError
from embspace.verify.protocol import KINDS, State
from embspace.verify.protocol_record import read_record, record
from tests.verify.protocol_tree import PAIRS, make_study
from tests.verify.tree import put

STATE: State = {kind: {} for kind in KINDS}
OTHER: State = STATE | {"texts": {"data/texts/articles.jsonl": "0"}}
RESULTS = Path("results")


@pytest.fixture(autouse=True)
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_study()
    return tmp_path


def test_tables_of_the_stages_are_recorded_by_their_bytes():
    record("mine", STATE, ["prepare_texts", "measure_shapes@small"])
    state, tables = read_record("mine", RESULTS)
    assert state == STATE
    (hash_of_pairs,) = tables.values()
    assert [*tables] == ["pairs/small.csv"]
    put("results/pairs/small.csv", PAIRS.replace("0.9", "0.8"))
    record("mine", STATE, ["measure_shapes@small"])
    assert read_record("mine", RESULTS).tables["pairs/small.csv"] != hash_of_pairs


def test_tables_of_earlier_runs_stay_while_the_state_does():
    record("mine", STATE, ["measure_shapes@small"])
    record("mine", STATE, ["measure_words@small"])
    assert len(read_record("mine", RESULTS).tables) == 3
    record("mine", OTHER, ["measure_shapes@small"])
    assert [*read_record("mine", RESULTS).tables] == ["pairs/small.csv"]
    record("yours", OTHER, ["measure_words@small"])
    assert "pairs/small.csv" not in read_record("yours", RESULTS).tables


def test_a_folder_of_tables_is_recorded_and_a_table_that_is_not_there_is_not():
    stages = yaml.safe_load(Path("dvc.yaml").read_text())
    stages["stages"]["measure_shapes"]["outs"] = ["results/pairs", "results/none/${item.model}.csv"]
    put("dvc.yaml", yaml.safe_dump(stages))
    put("results/pairs/large.csv", PAIRS)
    put("results/pairs/note.txt", "")
    record("mine", STATE, ["measure_shapes@small"])
    assert [*read_record("mine", RESULTS).tables] == ["pairs/large.csv", "pairs/small.csv"]


def test_a_record_without_tables_is_refused():
    record("mine", STATE, [])
    file = RESULTS / "protocol.yaml"
    put(str(file), file.read_text().replace("tables: {}\n", ""))
    with pytest.raises(InputError, match="key 'tables' is missing"):
        read_record("mine", RESULTS)
    file.unlink()
    with pytest.raises(InputError, match="not found; `embspace run --protocol mine` writes it"):
        read_record("mine", RESULTS)
