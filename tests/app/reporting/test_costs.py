from pathlib import Path

import pytest

from embspace.app.reporting import costs, sizes
from embspace.app.reporting.costs import QUICKER, SMALL, WHOLE, Expected, Size, cost_told, growth
from embspace.app.repro.durations import Durations
from embspace.settings.pipeline import Stage, read_stages
from embspace.settings.schema import read_yaml

RUN = {
    "parameters": 100,
    "characters": 1000,
    "tokens": 500,
    "small": {
        "parameters": 10,
        "characters": 10,
        "tokens": 50,
        "seconds": {"prepare_code": 4.0, "measure_spectrum": 30.0, "measure_two_corpora": 2.0},
    },
    "seconds": {
        "measure_search": 10.0,
        "measure_similarity": 4.0,
        "measure_opposite_texts": 60.0,
        "extract_hidden_states": 60.0,
        "measure_spectrum": 80.0,
        "prepare_code": 5.0,
    },
    "seconds_of_quicker_settings": {"measure_search": 1.0},
}


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "measured_run", lambda: RUN)


@pytest.mark.usefixtures("measured")
def test_a_run_of_the_measured_size_takes_what_was_measured(root: Path):
    expected = Expected(read_stages(root), Size(100, 1000), is_quicker=False)
    assert expected("measure_search@m") == 10.0
    assert expected("measure_spectrum@m") == 80.0
    assert expected("prepare_code") == 5.0
    assert expected("measure_context@m") is None
    quicker = Expected(read_stages(root), Size(0, 1000), is_quicker=True)
    assert (quicker("measure_search@m"), quicker("measure_similarity@m")) == (1.0, 4.0)


@pytest.mark.usefixtures("measured")
def test_time_grows_by_what_a_stage_reads(root: Path):
    longer = Expected(read_stages(root), Size(100, 3000, corpora=3), is_quicker=False)
    assert longer("measure_search@m") == pytest.approx(30.0)
    assert longer("extract_hidden_states@m-one_of_three") == pytest.approx(60.0)
    assert longer("measure_similarity@m") == 4.0  # reads no text
    larger = Expected(read_stages(root), Size(400, 1000), is_quicker=False)
    assert larger("measure_similarity@m") == pytest.approx(4.0 * 4**0.3)
    wider = Expected(read_stages(root), Size(100, 1000, tokens=1000), is_quicker=False)
    assert wider("measure_similarity@m") == pytest.approx(8.0)
    assert 10.0 < float(larger("measure_search@m") or 0) <= 40.0
    assert larger("prepare_code") == 5.0


@pytest.mark.usefixtures("measured")
def test_of_the_smallest_model_a_stage_takes_what_it_took_of_a_small_one(root: Path):
    small = Expected(read_stages(root), Size(10, 10, tokens=50), is_quicker=False)
    assert small("measure_spectrum@m") == pytest.approx(30.0)
    assert small("measure_two_corpora@m") == pytest.approx(2.0)
    tiny = Expected(read_stages(root), Size(1, 1, tokens=5), is_quicker=False)
    assert 25.0 < float(tiny("measure_spectrum@m") or 0) < 30.0
    large = Expected(read_stages(root), Size(100, 2000), is_quicker=False)
    assert 80.0 < float(large("measure_spectrum@m") or 0) < 160.0


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(("sentences", "seconds"), [(None, 60.0), (0, 0.0), (6, 30.0), (90, 60.0)])
def test_a_search_with_few_sentences_takes_less(root: Path, sentences: int | None, seconds: float):
    size = Size(100, 1000, sentences=sentences)
    expected = Expected(read_stages(root), size, is_quicker=False)
    assert expected("measure_opposite_texts@m") == seconds


def test_the_number_of_sentences_is_that_of_the_settings(root: Path):
    settings = read_yaml(root / "conf/measure/open_questions/opposite_texts.yaml")
    assert settings["n_sentences"] == costs.MOST_SENTENCES
    words = (settings["fewest_words"], settings["most_words"])
    assert words == (sizes.FEWEST_WORDS, sizes.MOST_WORDS)


@pytest.mark.usefixtures("measured")
def test_a_slow_machine_is_measured_once_and_only_where_a_time_is_expected(root: Path):
    calls = list[int]()

    def three() -> float:
        calls.append(1)
        return 3.0

    slow = Expected(read_stages(root), Size(100, 1000), is_quicker=False, slowness=three)
    assert slow("measure_context@m") is None and not calls
    assert (slow("measure_search@m"), slow("measure_similarity@m")) == (30.0, 12.0)
    assert len(calls) == 1


def test_growth_is_read_off_the_graph():
    stage = Stage("measure_x", Path("dvc.yaml"), {"deps": ["src", "data/prepared/model/m.json"]})
    assert growth(stage)[1] == 0.0 < growth(stage)[0]
    assert growth(stage._replace(entry={"deps": ["src"]})) == (0.0, 0.0, 0.0)
    texts = {"deps": ["data/prepared/model/m.json", "data/extracted/hidden_states/m"]}
    assert growth(stage._replace(entry=texts))[1] == 1.0


def test_the_sentence_has_minutes_and_the_longest_stages(tmp_path: Path):
    seconds = {"a@m": 50.0, "a@m-1f_random-posts": 50.0, "b@m": 300.0, "c@m": 20.0, "d@m": 1.0}
    durations = Durations(tmp_path, "tree", seconds.get)
    needs = {**dict.fromkeys(seconds, set[str]()), "e@m": {"b@m"}}
    said = cost_told(needs, durations, 2, lambda name: " (--no-b)" if name == "b@m" else "")
    assert said.startswith("about 5 min for 6 stages, with 1 stage that never ran; ")
    assert said.endswith("most of it for b 5 min (--no-b), a 2 min, c 20 s")  # a of both models
    said = cost_told(needs, durations, 1, untrained=["m-1f_random"])
    assert said.endswith(
        "; 50 s of it for 1 network with random weights (--untrained 0 leaves it out)"
    )


def test_a_tree_has_times_of_its_own(tmp_path: Path):
    tree = Durations(tmp_path, "tree", {"a@m": 100.0}.get)
    tree.keep("a@m", 7.0)
    tree.save()
    assert Durations(tmp_path, "tree").known(["a@m"]) == {"a@m": 7.0}
    assert Durations(tmp_path, "other", {"a@m": 100.0}.get).known(["a@m"]) == {"a@m": 100.0}
    assert Durations(tmp_path).known(["a@other"]) == {"a@other": 7.0}


def test_the_measured_run_is_of_stages_that_there_are(root: Path):
    run = costs.measured_run()
    stages = read_stages(root)
    for measured in (run, run[SMALL]):
        assert min(measured["parameters"], measured["characters"], measured["tokens"]) > 0
    assert {*run[SMALL][WHOLE]} <= set(stages)
    for part in (WHOLE, QUICKER):
        assert run[part] and {name.partition("@")[0] for name in run[part]} <= set(stages)
    assert set(run[QUICKER]) <= set(run[WHOLE])
