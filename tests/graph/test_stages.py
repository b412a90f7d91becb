from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from embspace.analysis import Source
from embspace.graph.declarations import Declared, declaration, declared
from embspace.graph.stages import drawing_entry, stage_entry, with_stages

GRAPH = """vars: [../../params.yaml]
stages:

  # By hand.
  measure_other:
    wdir: ../..

  # Figures.
  draw_positional:
    wdir: ../..
"""


def test_a_stage_has_what_its_declaration_reads_and_makes(root: Path):
    entry = stage_entry(declaration("helix"), root)
    assert entry["deps"] == [
        "data/prepared/code/measure_helix.txt",
        "data/extracted/embeddings/${item.model}.safetensors",
        "results/regimes/positions/${item.model}.csv",
    ]
    assert entry["params"] == ["seed", {"conf/measure/positional/helix.yaml": None}]
    assert {"results/helix/path/${item.model}.csv": {"cache": False}} in entry["outs"]
    assert entry["metrics"] == [{"results/helix/${item.model}.json": {"cache": False}}]


def test_what_looks_at_no_model_has_no_items_and_a_list_is_a_parameter(root: Path):
    analysis, function, chapter = declaration("helix")
    reads = {"x": Source(print, ("texts/{model}", "texts"), lists=["corpora"])}
    entry = stage_entry(Declared(replace(analysis, over="", reads=reads), function, chapter), root)
    assert "matrix" not in entry
    assert entry["cmd"] == "PYTHONPATH=src python -m embspace.measure.positional.helix"
    assert entry["deps"][1:] == ["texts", "texts/toy"]
    assert entry["params"][:2] == ["corpora", "seed"]
    assert {"results/helix/path/toy.csv": {"cache": False}} in entry["outs"]


def test_a_stage_over_runs_reads_their_descriptions_and_the_files_that_settings_name(root: Path):
    member = declaration("helix")
    source = Source(print, ("data/trained/{run}", "texts/{n_shuffles}"), described=True)
    analysis = replace(member.analysis, over="trained", reads={"x": source})
    entry = stage_entry(member._replace(analysis=analysis), root)
    assert entry["matrix"] == {"train": "${trained}"}
    assert entry["cmd"].endswith("helix train=${item.train}")
    assert entry["vars"] == ["conf/measure/positional/helix.yaml:n_shuffles"]
    assert entry["deps"][1:] == ["data/trained/${item.train}", "texts/${n_shuffles}"]
    assert entry["params"][:2] == ["seed", {"conf/train/${item.train}.yaml": None}]
    assert {"results/helix/path/${item.train}.csv": {"cache": False}} in entry["outs"]


def test_a_stage_over_pairs_is_repeated_by_their_keys(root: Path):
    member = declaration("helix")
    reads = {"one": "results/{model}.csv", "other": "results/{other_model}.csv"}
    analysis = replace(member.analysis, over="compared", reads=reads)
    pair = member._replace(analysis=analysis)
    stages = yaml.safe_load(with_stages("stages:\n", "positional", [pair], root))["stages"]
    assert {name: stage["foreach"] for name, stage in stages.items()} == {
        "measure_helix": "${compared}",
        "draw_positional": "${compared}",
    }
    entry = stages["measure_helix"]["do"]
    assert entry["cmd"].endswith("helix pair=${key}")
    assert entry["deps"][1:] == ["results/${item.model}.csv", "results/${item.other_model}.csv"]
    assert {"results/helix/path/${key}.csv": {"cache": False}} in entry["outs"]
    drawn = stages["draw_positional"]["do"]["params"]
    assert {"conf/model/${item.other_model}.yaml": None} in drawn


def test_runs_share_a_page_that_depends_on_folders(root: Path):
    entry = drawing_entry("positional", "positional", "trained", root)
    assert entry["matrix"] == {"pages": "${run_pages}"}
    assert entry["cmd"].endswith("draw.positional")
    assert "results/helix" in entry["deps"] and "conf/corpus" in entry["deps"]
    assert {"figures/helix/all_runs.png": {"cache": False}} in entry["plots"]
    assert not any("conf/model" in str(file) for file in entry["params"])


def test_a_file_that_a_setting_names_is_a_dependency(root: Path):
    entry = stage_entry(declaration("word_order"), root)
    assert [*entry][1:4] == ["matrix", "vars", "cmd"]
    assert entry["vars"] == ["conf/measure/attention/word_order.yaml:texts"]
    assert entry["deps"][1:] == ["${texts}", "data/prepared/model/${item.model}.json"]


def test_a_new_stage_stands_before_the_drawings_and_others_as_they_stood(root: Path):
    text = with_stages(GRAPH, "positional", [declaration("helix")], root)
    assert text.startswith(GRAPH.partition("  # Figures")[0])
    stages = yaml.safe_load(text)["stages"]
    assert list(stages) == ["measure_other", "measure_helix", "draw_positional"]
    assert "  # Figures.\n  draw_positional:" in text
    assert with_stages(text, "positional", [declaration("helix")], root) == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("      - data/extracted/embeddings/${item.model}.safetensors\n", ""),
        ("      - seed\n", ""),
        ("path/${item.model}.csv: {cache: false}", "path/${item.model}.csv"),
        ("conf/measure/positional/helix.yaml:", "conf/measure/positional/helix.yaml: [n_shuffles]"),
        ("      - results/helix/path/${item.model}.csv\n", ""),
    ],
)
def test_a_stage_that_was_edited_is_as_declared_again(root: Path, old: str, new: str):
    text = (root / "pipeline/positional/dvc.yaml").read_text(encoding="utf-8")
    before, mark, after = text.partition("  measure_helix:\n")
    edited = before + mark + after.replace(old, new, 1)
    assert edited != text
    members = [member for member in declared() if member.chapter == "positional"]
    assert with_stages(edited, "positional", members, root) == text


def test_a_first_stage_of_a_graph_stands_at_its_end(root: Path):
    text = with_stages("stages:\n", "positional", [declaration("helix")], root)
    assert list(yaml.safe_load(text)["stages"]) == ["measure_helix", "draw_positional"]


def test_stages_run_over_the_declared_list(root: Path):
    member = declaration("helix")
    profiled = member._replace(analysis=replace(member.analysis, over="profiled"))
    stages = yaml.safe_load(with_stages(GRAPH, "positional", [profiled], root))["stages"]
    for name in ("measure_helix", "draw_positional"):
        assert stages[name]["matrix"] == {"model": "${profiled}"}


def test_results_that_settings_or_publications_name_are_dependencies(root: Path):
    deps = stage_entry(declaration("measures"), root)["deps"]
    for model in ("model", "other_model"):
        assert f"results/search/${{item.{model}}}.csv" in deps
        assert f"data/measured/search/${{item.{model}}}.parquet" in deps
    deps = stage_entry(declaration("ledger"), root)["deps"]
    assert "results/helix/periods/${item.model}.csv" in deps
    assert not any("profiles/${item" in path and "positions" not in path for path in deps)


@pytest.mark.parametrize("stage", ["project_helix", "draw_helix", "measure_cubes"])
@pytest.mark.parametrize("chapter", ["positional", "words"])
def test_a_stage_that_is_declared_no_more_goes(root: Path, stage: str, chapter: str):
    text = (root / f"pipeline/{chapter}/dvc.yaml").read_text(encoding="utf-8")
    members = [member for member in declared() if member.chapter == chapter]
    head, mark, body = text.partition("stages:\n")
    old = f"\n  # Old.\n  {stage}:\n    wdir: ../..\n"
    for planted in (f"{text}{old}", f"{head}{mark}{old}\n{body.lstrip()}"):
        kept = yaml.safe_load(with_stages(planted, chapter, members, root))
        assert kept == yaml.safe_load(text)
        assert "# Old." not in with_stages(planted, chapter, members, root)
    assert with_stages(text, chapter, members, root) == text
