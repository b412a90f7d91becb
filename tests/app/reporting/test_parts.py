from pathlib import Path

import pytest

from embspace.app.reporting.parts import (
    ALL,
    CHEAP_LAYERS,
    FIRST,
    MAPS,
    NO_MAPS,
    OF_STIMULI,
    OPTIONS,
    QUICKER,
    STIMULI,
    Analysis,
    analyses,
    is_chosen,
    left_out,
    makers,
    quicker_settings,
    ranks_of,
    ways_of,
)
from embspace.settings.schema import read_yaml


def chosen(*options: str, is_study: bool = False, is_english: bool = True) -> set[str]:
    how = {"is_study": is_study, "is_english": is_english}
    return {analysis.noun for analysis in analyses() if is_chosen(analysis, options, **how)}


def test_the_cheap_analyses_of_layers_come_first_in_every_report_of_other_texts():
    assert chosen() >= {*CHEAP_LAYERS, "search", "layer_choice", "similarity", "tsne"}
    assert {analysis.noun for analysis in analyses() if analysis.rank == FIRST} == {*CHEAP_LAYERS}
    by_rank = sorted(analyses(), key=lambda analysis: analysis.rank)
    assert [analysis.noun for analysis in by_rank][-1] == "ledger"
    after_maps = [analysis.noun for analysis in by_rank if analysis.rank > 7]
    assert "tsne" not in after_maps and "probing" in after_maps


@pytest.mark.parametrize(
    ("option", "noun"),
    [
        ("layers", "atlas"),
        ("attention", "head_features"),
        ("attention", "query_key_form"),
        ("parameters", "keep_k"),
        (ALL, "ledger"),
        (ALL, "atlas"),
    ],
)
def test_what_takes_minutes_comes_by_an_option(option: str, noun: str):
    assert noun not in chosen()
    assert noun in chosen(option)


def test_without_maps_nothing_that_needs_one_is_left():
    assert chosen(ALL) - chosen(ALL, NO_MAPS) == {*MAPS, "ledger"}
    assert chosen() - chosen(NO_MAPS) == {"tsne", "umap", "text_maps"}


def test_a_report_of_the_study_has_what_run_computes():
    assert {"ledger", "probing", "head_features"} <= chosen(is_study=True)
    assert chosen(is_study=True).isdisjoint({*CHEAP_LAYERS, "keep_k"})
    assert chosen("layers", is_study=True) == chosen(ALL)


def test_stimuli_are_read_in_english_or_if_an_option_says_so():
    assert chosen() - chosen(is_english=False) == {
        *("evolution", "evolution_steps", "evolution_shared", "homonyms"),
        *("synonyms", "differences", "difference_consistency", "sentence_meaning"),
    }
    assert chosen(ALL) - chosen(ALL, is_english=False) == {*OF_STIMULI}
    assert chosen(ALL, STIMULI, is_english=False) == chosen(ALL)
    assert chosen(is_study=True, is_english=False) == chosen(is_study=True)
    lacking = left_out([], is_study=False, is_english=False)
    assert "homonyms" in lacking["--stimuli"] and "probing" in lacking["--all --stimuli"]
    assert "homonyms" in left_out([ALL], is_study=False, is_english=False)["--stimuli"]


@pytest.mark.parametrize("is_study", [True, False])
@pytest.mark.parametrize("options", [(), *((option,) for option in OPTIONS)])
def test_what_is_not_there_is_named_by_a_way_to_have_it(
    options: tuple[str, ...], *, is_study: bool
):
    lacking = left_out(options, is_study=is_study)
    named = {noun for nouns in lacking.values() for noun in nouns}
    assert named == {analysis.noun for analysis in analyses()} - chosen(*options, is_study=is_study)
    for way, nouns in lacking.items():
        if way.startswith("--"):
            with_it = chosen(*options, way.removeprefix("--"), is_study=is_study)
            assert set(nouns) <= with_it


def test_every_analysis_has_stages_that_make_its_results(root: Path):
    stages = makers(root, "minilm", analyses())
    assert set(stages) == set(analyses())
    named = {analysis.noun: addresses for analysis, addresses in stages.items()}
    assert named["direction"] == ["pipeline/layers/dvc.yaml:measure_direction@minilm"]
    assert "pipeline/learned/dvc.yaml:project_tsne@minilm" in named["tsne"]


def test_an_analysis_without_stages_is_left_out(tmp_path: Path):
    (tmp_path / "dvc.yaml").write_text("stages: {}\n")
    assert makers(tmp_path, "minilm", analyses()) == {}


def test_a_stage_has_the_first_of_the_ranks_that_need_it():
    stages = {
        Analysis("late", "a", 5, ""): ["pipeline/a/dvc.yaml:measure_x@m"],
        Analysis("early", "a", 1, ""): ["pipeline/a/dvc.yaml:measure_x@m", "measure_y@m"],
    }
    assert ranks_of(stages) == {"measure_x@m": 1, "measure_y@m": 1}


def test_quicker_settings_are_whole_files_that_conf_has(root: Path):
    settings = quicker_settings(root, (), is_study=False)
    assert set(settings) == set(QUICKER)
    for file, content in settings.items():
        assert set(content) == set(read_yaml(root / "conf" / file))
        assert content != read_yaml(root / "conf" / file)
    assert quicker_settings(root, (ALL,), is_study=False) == {}
    assert quicker_settings(root, (), is_study=True) == {}
    every_layer = quicker_settings(root, ("layers",), is_study=False)
    file = "measure/layers/direction.yaml"
    assert every_layer[file]["most_layers"] > settings[file]["most_layers"]


def test_a_stage_that_maps_or_options_alone_need_can_be_left_out():
    tsne, search = Analysis("tsne", "learned", 7, ""), Analysis("search", "texts", 1, "")
    probing = Analysis("probing", "words", 8, ALL)
    ways = ways_of({tsne: ["a@m", "shared@m"], search: ["shared@m"], probing: ["c@m"]})
    assert ways == {"a@m": " (--no-maps leaves it out)", "c@m": " (by --all)"}


@pytest.mark.parametrize("option", ["attention", "parameters"])
def test_an_option_adds_its_analyses_to_a_report_of_the_study(option: str):
    without, with_it = chosen(is_study=True), chosen(option, is_study=True)
    added = {analysis.noun for analysis in analyses() if analysis.option == option}
    assert with_it == without | added
    assert with_it > without
