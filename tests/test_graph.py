"""The files that declarations decide are as `python -m embspace.graph` writes them."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from embspace import graph
from embspace.analysis import Analysis, Source, Table
from embspace.graph import (
    Declared,
    declaration,
    declared,
    drawing_entry,
    drawn_results,
    modules,
    plain_question,
    rest,
    stage_entry,
    tables,
    with_compared,
    with_kinds,
    with_questions,
    with_rows,
    with_stages,
)
from embspace.prepare.code import code_of, modules_in
from embspace.verify.rules import read_tolerances, rules_of

# Analyses that call a function of another one's module.
IMPORTED = {"layer_choice": ["search"]}
GRAPH = """vars: [../../params.yaml]
stages:

  # By hand.
  measure_other:
    wdir: ../..

  # Figures.
  draw_positional:
    wdir: ../..
"""


def test_what_is_written_is_committed(root: Path):
    differing = [
        str(path)
        for path, content in (tables() | rest(root)).items()
        if (root / path).read_text(encoding="utf-8") != content
    ]
    assert not differing, "call `python -m embspace.graph`"


def test_every_declared_kind_is_in_force(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    tolerances = read_tolerances()
    for member in declared():
        for name, path in member.analysis.outputs.items():
            table = member.analysis.tables.get(name)
            kinds = table.kinds if table else dict(member.analysis.scalars)
            rules = rules_of(tolerances, Path(path).relative_to(Path(path).parts[0]))
            for column, kind in kinds.items() if path.startswith("results/") else ():
                assert rules.kind(column) == tolerances.kinds[kind], f"{path}: {column}"


def test_no_stage_depends_on_the_declarations_of_others(root: Path):
    code = modules_in(root / "src")
    declaring = {code[module].path for module in modules().values()}
    for noun, module in modules().items():
        run = {file.path for file in code_of(module, code)} & declaring
        expected = {noun, *IMPORTED.get(noun, [])}
        assert run == {code[modules()[name]].path for name in expected}, noun
    for chapter in {declaration(noun).chapter for noun in modules()}:
        drawing = f"embspace.draw.{chapter}.__main__"
        assert not {file.path for file in code_of(drawing, code)} & declaring
        assert [path.name for path in code[drawing].opened_beside] == ["tables.yaml"]


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


def test_a_declaration_of_another_noun_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(graph, "modules", lambda: {"helices": modules()["helix"]})
    with pytest.raises(ValueError, match=r"positional\.helix: declares measure_helix"):
        graph.declaration.__wrapped__("helices")


def test_drawings_take_all_results_but_the_undrawn():
    columns = Table({"a": "row"})
    analysis = Analysis("n", "?", {}, {"csv": columns, "more": columns}, {"n": "count"})
    assert [*drawn_results(analysis)] == ["csv", "json", "more.csv"]
    assert [*drawn_results(replace(analysis, undrawn=["more"]))] == ["csv", "json"]


def test_a_new_analysis_has_a_row_at_the_end_of_the_list():
    text = with_rows("| question | figure and tables | noun |\n|---|---|---|\n\nAfter.\n", "tiny")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert any("../figures/helix/tiny.png" in row and row.endswith("`helix` |") for row in rows)
    assert text.endswith("\n\nAfter.\n")


def test_a_row_of_pairs_keeps_the_pair_and_runs_share_a_figure(monkeypatch: pytest.MonkeyPatch):
    member = declaration("helix")
    pairs = replace(member.analysis, over="compared", question="?", further_figures={})
    runs = replace(pairs, over="trained")
    head = "| question | figure and tables | noun |\n"
    for analysis, old, links in (
        (pairs, "[figure](../figures/helix/a--b.png)", "[figure](../figures/helix/a--b.png), "),
        (pairs, "", "`figures/helix/<pair>.png`, `figures/helix/<pair>.md` |"),
        (runs, "", "[all runs](../figures/helix/all_runs.png), "),
    ):
        monkeypatch.setattr(graph, "declared", lambda one=analysis: [member._replace(analysis=one)])
        assert f"| ? | {links}" in with_rows(f"{head}| old | {old} | `helix` |\n", "tiny")


def test_a_source_that_is_declared_no_more_goes(root: Path):
    text = (root / "conf/compare/measures.yaml").read_text(encoding="utf-8")
    head, mark, body = text.partition("sources:\n")
    old = "  - noun: helix\n    table: old\n    file: results/helix/old/{}.csv\n"
    assert with_compared(head + mark + old + body) == text


def test_results_that_settings_or_publications_name_are_dependencies(root: Path):
    deps = stage_entry(declaration("measures"), root)["deps"]
    for model in ("model", "other_model"):
        assert f"results/search/${{item.{model}}}.csv" in deps
        assert f"data/measured/search/${{item.{model}}}.parquet" in deps
    deps = stage_entry(declaration("ledger"), root)["deps"]
    assert "results/helix/periods/${item.model}.csv" in deps
    assert not any("profiles/${item" in path and "positions" not in path for path in deps)


def test_the_row_of_an_analysis_without_a_question_goes(monkeypatch: pytest.MonkeyPatch):
    member = declaration("helix")
    silent = member._replace(analysis=replace(member.analysis, question=""))
    monkeypatch.setattr(graph, "declared", lambda: [silent])
    others = "| question | figure and tables | noun |\n| a | b | `helix`, `positions` |\n"
    assert with_rows(f"{others}| old | b | `helix` |\n| a | b | `other` |\n", "tiny") == (
        f"{others}| a | b | `other` |\n"
    )


def test_an_analysis_has_one_row_where_its_map_became_a_measure(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(graph, "declared", lambda: [declaration("helix")])
    row = "| old | b | `helix` (in `conf/project/`, as all maps) |\n"
    [line] = with_rows(row + row, "tiny").splitlines()
    assert line.endswith(" | `helix` |")


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


def test_the_question_of_an_analysis_stands_on_its_page_s_section():
    read = "  read: Each curve is a density.\n"
    text = f"helix:\n  question: Old?\n{read}other:\n  question: Which hold?\n{read}"
    made = yaml.safe_load(with_questions(text))
    assert made["helix"] == {
        "question": plain_question(declaration("helix").analysis),
        "read": "Each curve is a density.",
    }
    assert made["other"]["question"] == "Which hold?"
    assert [*made["positions"]] == ["question"]  # new, and not yet explained
    assert "cubes" not in made


def test_kinds_are_written_once():
    once = with_kinds("files:\n  other:\n    columns: {a: row}\n")
    assert with_kinds(once) == once
    files = yaml.safe_load(once)["files"]
    assert files["other"] == {"columns": {"a": "row"}}
    assert files["helix/spectrum"] == {"columns": {"frequency": "row", "power": "share"}}


def test_a_noun_is_its_modules_name():
    assert modules()["helix"] == "embspace.measure.positional.helix"
    for noun in modules():
        member = declaration(noun)
        assert isinstance(member, Declared)
        assert member.analysis.noun == noun
