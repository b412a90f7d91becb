"""Models of other architectures than BERT's, from the hub to the last figure.

The tests build on each other: the first one adds the models, the last one drops them.
"""

from pathlib import Path

import numpy as np
import pytest
import yaml

from embspace.files.scalars import load_scalars
from embspace.files.tables import load_table
from embspace.files.tensors import load_tensors
from embspace.settings.schema import read_yaml
from tests.drawn import figure_files
from tests.hub_server import serving_hub
from tests.loopback import closed_address
from tests.tiny import write_tiny_model
from tests.whole_pipeline import (
    BUILT,
    MEASURED,
    OF_ALL,
    POSITIONS,
    PROJECTED,
    as_params,
    compared_files,
    compared_stages,
    expected_stages,
    whole_files,
)
from tests.workspace import Workspace
from tests.zoo import ANIMALS, build_animal

pytestmark = pytest.mark.slow

# By their names in params.yaml, what they are in the zoo.
ADDED = {"roberta_like": "roberta", "gpt2_like": "gpt2"}
PAIRS = ("tiny--roberta_like", "roberta_like--gpt2_like")
ANOTHER_PAIR = "tiny--gpt2_like"
MOST_STAGES = 174  # some 45 a model, and eight a pair


@pytest.fixture(scope="module")
def workspace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """An up-to-date tree without a network whose only model is `tiny`, and which knows `ADDED`."""
    tree = Workspace(root, tmp_path_factory.mktemp("architectures"))
    cache = tmp_path_factory.mktemp("cache")
    tree.variables = {"HF_HOME": str(cache), "HF_HUB_OFFLINE": "1", "HF_ENDPOINT": closed_address()}
    write_tiny_model(tree.folder / "models/tiny", tree.folder / "conf", "tiny", 0, POSITIONS)
    tree.edit("conf/model/tiny.yaml", path="models/tiny")
    for name, animal in ADDED.items():
        content = read_yaml(root / f"conf/model/{ANIMALS[animal].described_as}.yaml")
        for key in ("parameters", "masked_head"):  # the tiny ones are without a head
            content.pop(key, None)
        content |= {"label": name, "repository": f"maker/{name}"}
        path = tree.folder / f"conf/model/{name}.yaml"
        path.write_text(yaml.safe_dump(content), encoding="utf-8")
    tree.edit("params.yaml", models=["tiny"], corpora=["model_card"])
    tree.shorten()
    tree.repro()
    tree.commit()
    return tree


@pytest.fixture(scope="module")
def alone(workspace: Workspace) -> dict[str, bytes]:
    """What there is of `tiny` alone."""
    return workspace.files(*BUILT)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The models as their makers have them."""
    folder = tmp_path_factory.mktemp("makers")
    return {name: build_animal(animal, folder / name, POSITIONS) for name, animal in ADDED.items()}


def test_one_edit_takes_them_through_every_stage(
    workspace: Workspace, alone: dict[str, bytes], folders: dict[str, Path]
):
    workspace.edit("params.yaml", models=["tiny", *ADDED], compared=as_params(*PAIRS))
    assert "embspace fetch gpt2_like" in workspace.run("embspace", "check", check=False)
    offline = workspace.variables
    with serving_hub() as hub:
        online = hub.environment(Path(offline["HF_HOME"]))
        workspace.variables = {**online, "HF_HUB_OFFLINE": "", "TRANSFORMERS_OFFLINE": ""}
        for name, folder in folders.items():
            hub.push(f"maker/{name}", folder)
            workspace.run("embspace", "fetch", name)
    workspace.variables = offline
    new = {stage for name in ADDED for stage in expected_stages(name)}
    new |= {stage for pair in PAIRS for stage in compared_stages(pair)}
    # Fetching wrote models.lock, of which each model reads its own part.
    assert workspace.repro() == new | OF_ALL | {"prepare_model@tiny"}
    after = workspace.files(*BUILT)
    assert {name: after[name] for name in alone} == alone
    expected = {file.replace("tiny", name) for file in alone for name in ADDED if "tiny" in file}
    expected |= {file for pair in PAIRS for file in compared_files(pair)}
    assert after.keys() - alone.keys() == expected


def test_another_pair_touches_no_others_files(workspace: Workspace):
    before = workspace.files(*BUILT)
    workspace.edit("params.yaml", compared=as_params(*PAIRS, ANOTHER_PAIR))
    assert workspace.repro() == compared_stages(ANOTHER_PAIR) | OF_ALL
    after = workspace.files(*BUILT)
    assert {name: after[name] for name in before} == before
    assert after.keys() - before.keys() == compared_files(ANOTHER_PAIR)


def test_every_figure_and_result_is_there(workspace: Workspace):
    files = workspace.files("results", "figures", "data/drawn")
    for name in ADDED:
        for noun in MEASURED + PROJECTED:
            assert all(files[file] for file in figure_files(noun, name))
            own = [file for file in files if file.startswith(f"results/{noun}/")]
            assert any(Path(file).stem == name for file in own)
    for pair in (*PAIRS, ANOTHER_PAIR):
        for file in whole_files(pair):
            assert files[file].count(b"\n") > 1, file


def test_rows_for_padding_are_no_positions(workspace: Workspace, folders: dict[str, Path]):
    weights = load_tensors(str(folders["roberta_like"] / "model.safetensors"))
    table = weights["embeddings.position_embeddings.weight"]
    assert len(table) == POSITIONS + 2
    extracted = workspace.folder / "data/extracted/embeddings/roberta_like.safetensors"
    assert np.array_equal(load_tensors(str(extracted))["positional"], table[2:])
    for name in ADDED:
        positions = load_table(str(workspace.folder / f"results/regimes/positions/{name}.csv"))
        assert positions["position"].tolist() == list(range(POSITIONS))


def test_what_is_lacking_is_said(workspace: Workspace):
    folder = workspace.folder / "figures/interrelations"
    pages = {name: (folder / f"{name}.md").read_text() for name in ADDED}
    assert "gpt2_like has no learned segment table: its file in conf/model" in pages["gpt2_like"]
    assert "No token of gpt2_like opens every text." in pages["gpt2_like"]
    assert "no learned segment table" not in pages["roberta_like"]
    segments = workspace.folder / "results/interrelations/segments"
    assert set(load_table(str(segments / "roberta_like.csv"))["segment"]) == {0}
    assert load_table(str(segments / "gpt2_like.csv")).empty


def test_of_a_decoder_no_map_is_of_a_token_that_saw_no_other(workspace: Workspace):
    for name, pooling in {"roberta_like": "cls", "gpt2_like": "mean"}.items():
        results = workspace.folder / "results"
        assert load_scalars(str(results / f"differences/{name}.json"))["pooling"] == pooling
        assert pooling in set(load_table(str(results / f"synonyms/map/{name}.csv"))["pooling"])
    assert "cls" not in set(load_table(str(results / "synonyms/map/gpt2_like.csv"))["pooling"])


def test_the_norm_after_the_last_block_is_extracted_where_there_is_one(workspace: Workspace):
    extracted = workspace.folder / "data/extracted/hidden_states"
    for name, has_one in {"roberta_like": False, "gpt2_like": True}.items():
        tensors = load_tensors(str(extracted / name / "model_card.safetensors"))
        assert ("final_norm_mean" in tensors) == has_one


def test_the_mark_of_a_word_is_not_counted_as_a_letter(workspace: Workspace):
    for name in ADDED:
        path = workspace.folder / f"results/mean_embedding/tokens/{name}.csv"
        tokens = load_table(str(path))["token"]
        assert len(tokens)
        assert tokens.str.fullmatch(r"Ġ\w{3,}").all()


def test_a_new_models_metrics_are_shown_beside_the_old_ones(workspace: Workspace):
    said = workspace.run("dvc", "metrics", "diff", "--all")
    assert "results/separability/roberta_like.json" in said
    assert "results/separability/tiny.json" in said


def test_a_second_run_does_nothing(workspace: Workspace):
    assert workspace.repro() == set()


def test_three_models_and_all_corpora_are_few_stages(workspace: Workspace, root: Path):
    params = (workspace.folder / "params.yaml").read_bytes()
    corpora = read_yaml(root / "params.yaml")["corpora"]
    workspace.edit("params.yaml", corpora=corpora)
    stages = workspace.run("dvc", "stage", "list", "--all", "--name-only").split()
    (workspace.folder / "params.yaml").write_bytes(params)
    assert len(expected_stages("tiny")) < len(stages) <= MOST_STAGES


def test_a_dropped_model_leaves_nothing_behind(workspace: Workspace, alone: dict[str, bytes]):
    workspace.edit("params.yaml", models=["tiny"], compared={})
    assert workspace.repro() == set()
    said = workspace.run("embspace", "prune")
    files = [file for name in ADDED for file in figure_files("pca", name)]
    files += [file for pair in (*PAIRS, ANOTHER_PAIR) for file in compared_files(pair)]
    assert all(file in said for file in files)
    workspace.run("embspace", "prune", "--yes")
    assert workspace.files(*BUILT) == alone
    assert workspace.repro() == set()  # as before the models came, of which DVC keeps the run
    assert workspace.files(*BUILT) == alone
