"""What a page says of a model beside known models."""

from pathlib import Path

import pandas as pd
import pytest

from embspace.app.page import known_models
from embspace.app.page.known_models import known_model_findings

CHAPTERS = {"direction": "Layers"}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for place, text in {
        "params.yaml": "corpora: [my_texts]\n",
        "conf/corpus/my_texts.yaml": "label: my.csv\nlicense: unknown\nlanguage: unknown\n",
        "conf/model/m.yaml": "label: mine\n",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    known = pd.DataFrame({"model": ["A", "B", "random A"], "value": [0.10, 0.40, 0.60]})
    known = known.assign(corpus="posts", tokens_per_text=25.0, space="token")
    known = known.assign(measure="mean_cosine", layer=3)
    monkeypatch.setattr(known_models, "known_profiles", lambda: known)
    return tmp_path


def write(tree: Path, value: float, reach: float = 0.02, space: str = "token") -> None:
    table = pd.DataFrame({"corpus": "my_texts", "layer": [0, 6], "value": [0.9, value]})
    table = table.assign(space=space, change="as_is", measure="mean_cosine", n=300, n_texts=10)
    table = table.assign(low=table["value"] - reach, high=table["value"] + reach)
    (tree / "results/direction/profiles").mkdir(parents=True, exist_ok=True)
    table.to_csv(tree / "results/direction/profiles/m.csv", index=False)


@pytest.mark.parametrize(
    ("value", "reach", "place"),
    [
        (0.5, 0.02, "higher than 2 of 3"),
        (0.41, 0.02, "higher than 1 of 3 and like 1 of 3"),
        (0.05, 0.02, "lower than 3 of 3"),
        (0.5, 0.9, "like 3 of 3"),  # an interval that holds all is no difference
    ],
)
def test_the_last_layer_is_counted_beside_known_models(
    tree: Path, value: float, reach: float, place: str
):
    write(tree, value, reach)
    (finding,) = known_model_findings(tree, "m", CHAPTERS)
    assert finding.sentence == (
        f"The mean cosine of tokens of my.csv at the last layer is {value:.2f}: {place} known "
        "models (A 0.10, B 0.40, random A 0.60)"
    )
    assert "on embspace's posts, of the most similar length" in finding.population
    assert (finding.noun, finding.chapter) == ("direction", "Layers")


def test_random_weights_of_the_same_corpus_stand_beside(tree: Path):
    write(tree, 0.5)
    null = {"null": "random_initialization", "change": "as_is", "space": "token", "layer": 6}
    null |= {"measure": "mean_cosine", "null_smallest": 0.48, "null_largest": 0.52}
    (tree / "results/direction/nulls").mkdir(parents=True)
    for corpus, said in (
        ("others", "0.50: "),
        ("my_texts", "0.50 (random weights 0.48 to 0.52): "),
    ):
        table = pd.DataFrame([null | {"corpus": corpus}])
        table.to_csv(tree / "results/direction/nulls/m.csv", index=False)
        (finding,) = known_model_findings(tree, "m", CHAPTERS)
        assert f"at the last layer is {said}higher than 2 of 3" in finding.sentence


def test_one_known_model_is_not_counted(tree: Path, monkeypatch: pytest.MonkeyPatch):
    known = known_models.known_profiles().query("model == 'B'")
    monkeypatch.setattr(known_models, "known_profiles", lambda: known)
    write(tree, 0.5)
    (finding,) = known_model_findings(tree, "m", CHAPTERS)
    assert finding.sentence.endswith("at the last layer is 0.50: higher than B 0.40")


def test_nothing_is_said_without_a_section_or_tokens(tree: Path):
    assert known_model_findings(tree, "m", CHAPTERS) == []
    write(tree, 0.5)
    assert known_model_findings(tree, "m", {"hubs": "Layers"}) == []
    write(tree, 0.5, space="cls")
    assert known_model_findings(tree, "m", CHAPTERS) == []


def test_a_decoder_stands_beside_its_random_weights_alone(
    tree: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(known_models, "is_decoder", lambda *_: True)
    write(tree, 0.5)
    assert known_model_findings(tree, "m", CHAPTERS) == []
    null = {"null": "random_initialization", "change": "as_is", "space": "token", "layer": 6}
    null |= {"measure": "mean_cosine", "null_smallest": 0.48, "null_largest": 0.52}
    (tree / "results/direction/nulls").mkdir(parents=True)
    table = pd.DataFrame([null | {"corpus": "my_texts"}])
    table.to_csv(tree / "results/direction/nulls/m.csv", index=False)
    (finding,) = known_model_findings(tree, "m", CHAPTERS)
    assert finding.sentence.endswith("at the last layer is 0.50 (random weights 0.48 to 0.52)")
    assert finding.population == "interval over documents 0.48 to 0.52"
