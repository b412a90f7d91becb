"""The whole pipeline on vectors that somebody already has: no module, no tokenizer."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.vectors import report_vectors
from embspace.files.rows import load_rows
from embspace.files.tables import load_table, save_table
from embspace.files.tensors import load_tensors
from embspace.verify.rules import read_tolerances, rules_of
from tests.drawn import figure_files
from tests.whole_pipeline import MEASURED, PROJECTED, SHARED, expected_stages
from tests.workspace import Workspace

pytestmark = pytest.mark.slow

N, DIM = 60, 16
DESCRIPTION = {
    "label": "my vectors",
    "license": "CC0-1.0",
    "language": "none",
    "source": "vectors",
    "path": "vectors/mine.npy",
    "labels": "vectors/mine.csv",
}
# Analyses of texts, and of what a module or a tokenizer says.
WITHOUT = ("probing", "evolution", "homonyms", "synonyms", "differences", "text_clouds", "search")
WITHOUT += ("sentence_similarity", "architecture", "vocabulary", "text_classification")
WITHOUT += ("head_features", "attention_patterns", "word_order", "token_tracker")


@pytest.fixture(scope="module")
def x() -> np.ndarray:
    return np.random.default_rng(0).normal(0.3, 1.0, size=(N, DIM)).astype(np.float32)


@pytest.fixture(scope="module")
def workspace(root: Path, tmp_path_factory: pytest.TempPathFactory, x: np.ndarray) -> Workspace:
    """A tree whose only model are vectors with labels, after `dvc repro` of all stages."""
    tree = Workspace(root, tmp_path_factory.mktemp("vectors"))
    (tree.folder / "vectors").mkdir()
    np.save(tree.folder / "vectors/mine.npy", x)
    labels = pd.DataFrame({"token": [f"word{row}" for row in range(N)], "group": ["a", "b"] * 30})
    labels.to_csv(tree.folder / "vectors/mine.csv", index=False)
    (tree.folder / "conf/model/mine.yaml").write_text(json.dumps(DESCRIPTION))
    tree.edit("params.yaml", models=["mine"], corpora=["model_card"])
    tree.shorten()
    assert "fit" in tree.run("embspace", "check")
    assert expected_stages("mine") | SHARED <= tree.repro()
    return tree


def test_the_vectors_are_the_input_matrix_and_labels_the_vocabulary(
    workspace: Workspace, x: np.ndarray
):
    extracted = workspace.folder / "data/extracted/embeddings"
    matrices = load_tensors(str(extracted / "mine.safetensors"))
    assert list(matrices) == ["input"]
    assert np.array_equal(matrices["input"], x)
    vocabulary = load_rows(str(extracted / "mine.parquet"))
    assert vocabulary["token"].tolist() == [f"word{row}" for row in range(N)]
    assert vocabulary["group"].tolist() == ["a", "b"] * 30


def test_each_table_has_the_columns_of_any_models(workspace: Workspace, root: Path):
    tolerances = read_tolerances()
    files = [name for name in workspace.files("results") if name.endswith("/mine.csv")]
    assert {name.split("/")[1] for name in files} >= {*MEASURED, *PROJECTED} - {"separability"}
    for name in files:
        table = load_table(str(workspace.folder / name))
        expected = load_table(str(root / name).replace("/mine.csv", "/minilm.csv"))
        # A table without a row lacks the columns whose number settings decide.
        assert list(table) == [column for column in expected if column in {*table}], name
        rules = rules_of(tolerances, Path(name.removeprefix("results/")))
        assert {*rules.row_names(expected)} <= {*table}, name


def test_each_analysis_has_a_figure_and_says_why_there_is_nothing(workspace: Workspace):
    files = workspace.files("figures", "data/drawn")
    for noun in (*MEASURED, *PROJECTED):
        assert all(files[file] for file in figure_files(noun, "mine")), noun
    reasons = ("None.", "0 ", "no tokenizer", "No tokenizer", "reads", "vectors alone")
    for noun in WITHOUT:
        text = files[f"figures/{noun}/mine.md"].decode()
        assert any(reason in text for reason in reasons), noun
    page = files["figures/positions/mine.md"]
    assert b"my vectors has no learned positional table" in page


def test_states_are_whole_files_without_a_row(workspace: Workspace):
    states = workspace.folder / "data/extracted"
    for path in (states / "hidden_states/mine").glob("*.safetensors"):
        assert {tensor.shape for tensor in load_tensors(str(path)).values()} == {(1, 0, 0)}
    assert len(load_rows(str(states / "hidden_states/mine/model_card.tokens.parquet"))) == 0


def test_one_line_of_python_gives_the_numbers_of_the_stages(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(workspace.folder)
    labels = [f"word{row}" for row in range(N)]
    tables = report_vectors("vectors/mine.npy", labels=labels)
    stored = {
        "similarity": "similarity/summary",
        "pairs": "similarity/pairs",
        "dimensions": "explained_variance/dimensions",
        "nearest_neighbors": "nearest_neighbors/summary",
        "hubs": "nearest_neighbors/hubs",
    }
    for name, table in tables.items():
        save_table(table, f"reported/{name}.csv")
        made = Path(f"results/{stored[name]}/mine.csv").read_bytes()
        assert Path(f"reported/{name}.csv").read_bytes() == made, name


def test_vectors_with_other_bytes_in_the_same_place_are_refused_once_pinned(workspace: Workspace):
    pinned = {**DESCRIPTION, "sha256": {"path": "0" * 64}}
    (workspace.folder / "conf/model/mine.yaml").write_text(json.dumps(pinned))
    said = workspace.run("dvc", "repro", check=False)
    assert "vectors/mine.npy: sha256 differs from conf/model/mine.yaml" in said
    assert "Running stage 'extract_embeddings" not in said
