import json
from pathlib import Path

import pytest

from benchmarks import stage_seconds
from benchmarks.stage_seconds import main, seconds_by_stage

DURATIONS = {
    "prepare_code": 5.0,
    "measure_search@m": 9.0,
    "measure_search@other": 99.0,
    "extract_hidden_states@m-one": 3.0,
    "extract_hidden_states@m-two": 4.0,
    "measure_spectrum@m": 7.0,
    "m--mine:measure_search@m": 1.0,
}


def test_seconds_are_those_of_one_tree_and_model():
    assert seconds_by_stage(DURATIONS, "", "m") == {
        "prepare_code": 5.0,
        "measure_search": 9.0,
        "extract_hidden_states": 4.0,
        "measure_spectrum": 7.0,
    }
    assert seconds_by_stage(DURATIONS, "m--mine", "m") == {"measure_search": 1.0}


def test_what_did_not_run_again_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "seconds.json"
    monkeypatch.setattr(stage_seconds, "TARGET", target)
    durations, model = tmp_path / "durations.json", tmp_path / "m.yaml"
    durations.write_text(json.dumps(DURATIONS))
    model.write_text("parameters: 12\n")
    main(str(durations), "", str(model), "300")
    main(str(durations), "m--mine", str(model), "300", stage_seconds.QUICKER)
    table = json.loads(target.read_text())
    assert (table["parameters"], table["characters"]) == (12, 300)
    assert table[stage_seconds.WHOLE]["measure_search"] == 9.0
    assert table[stage_seconds.QUICKER] == {"measure_search": 1.0}
