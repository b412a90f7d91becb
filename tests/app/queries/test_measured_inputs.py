"""Analyses of texts in this process against the stages on the files of `extract_hidden_states`."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import embspace
from embspace.app.api import CORPUS, Spaces
from embspace.app.queries.measured import files_read
from embspace.errors import InputError
from embspace.extract import hidden_states
from embspace.files.rows import load_rows, save_rows
from embspace.files.tables import load_table
from embspace.files.tensors import load_tensors
from embspace.graph.declarations import PAGED, declaration, modules
from embspace.prepare.sentences import split_halves
from embspace.prepare.texts import prepare_texts
from embspace.settings.corpus import describe_corpus
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, checked_settings, settings_file
from tests.app.queries.measured_study import TEXTS, s, study
from tests.lazy import sentence_transformers, torch, transformers
from tests.loaded.folders import tree
from tests.models.sentence.folders import pooling, write_modules
from tests.tiny import build_tiny_bert

__all__ = ["s", "study", "tree"]


# Publications, runs, and the models of params.yaml, one of which may judge texts.
OF_OTHER_FILES = ("ledger", "encoders_decoders", "opposite_texts")


@pytest.mark.parametrize("noun", [*modules()])
def test_what_every_declared_analysis_reads_is_made_here(noun: str, s: Spaces):
    if (over := declaration(noun).analysis.over) not in ("", *PAGED):
        with pytest.raises(InputError, match=f"found '{noun}', over `{over}` of params.yaml"):
            s.measure(noun)
        return
    inputs = s._measurements.inputs
    unknown = [path for path in files_read(noun) if not inputs.knows(path)]
    assert bool(unknown) == (noun in OF_OTHER_FILES), unknown
    if unknown:
        with pytest.raises(InputError, match=rf"found '{noun}', which reads {unknown[0]}"):
            s.measure(noun)


@pytest.mark.parametrize("folder", ["results", "data/measured", "data/projected"])
def test_results_of_undeclared_analyses_are_not_known(folder: str, s: Spaces):
    inputs = s._measurements.inputs
    assert inputs.knows(f"{folder}/search/{{model}}.csv")
    assert not inputs.knows(f"{folder}/undeclared/{{model}}.csv")
    assert not inputs.knows(f"{folder}.csv")


def config(function: object, **fields: object) -> StageConfig:
    file = settings_file(function)  # type: ignore[arg-type]
    params = {**read_yaml(Path("params.yaml")), "device": "cpu"}
    settings = checked_settings(function, read_yaml(file), params, str(file))  # type: ignore[arg-type]
    described = read_yaml(Path("conf/model/tiny.yaml"))
    return StageConfig("tiny", described, models=["tiny"], settings=settings, **fields)  # type: ignore[arg-type]


def run_stages(noun: str) -> None:
    """Run the stages of an analysis of texts in the current folder."""
    corpus = read_yaml(Path(f"conf/corpus/{CORPUS}.yaml"))
    texts = prepare_texts(CORPUS, describe_corpus(CORPUS, corpus))
    save_rows(texts, f"data/prepared/texts/{CORPUS}.parquet")
    extract = hidden_states.extract_hidden_states
    corpus_keys = {"corpus_name": CORPUS, "corpus": corpus, "corpora": [CORPUS]}
    hidden_states.main(config(extract, **corpus_keys))
    function = declaration(noun).function
    all_keys = {"corpus_name": "", "corpus": {}, "corpora": [CORPUS]}
    import_module(function.__module__).main(config(function, **all_keys))


@pytest.mark.parametrize("noun", ["text_clouds", "search"])
def test_tables_of_texts_are_those_of_the_stage(
    noun: str, study: Path, s: Spaces, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(study)
    run_stages(noun)
    tables, analysis = s.measure(noun), declaration(noun).analysis
    assert max(map(len, tables.values())) > 10
    for name in analysis.tables:
        expected = load_table(analysis.outputs[name].format(model="tiny"))
        pd.testing.assert_frame_equal(tables[name], expected, obj=name)


def by_hand(study: Path) -> tuple[Any, Any]:
    model = transformers.AutoModel.from_pretrained(str(study / "models/tiny"))
    return model, transformers.AutoTokenizer.from_pretrained(str(study / "models/tiny"))


def test_what_was_read_before_a_model_changed_is_measured(
    study: Path, s: Spaces, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(study)
    model, tokenizer = by_hand(study)
    spaces = embspace.spaces(model, TEXTS, tokenizer=tokenizer)
    vectors, states = spaces["input"], spaces["layer", -1]
    with torch.no_grad():
        for weights in model.parameters():
            weights.add_(torch.randn_like(weights))
    inputs = spaces._measurements.inputs
    measured = load_tensors(str(inputs.make("data/extracted/embeddings/{model}.safetensors")))
    assert np.array_equal(measured["input"], vectors)
    file = inputs.make(f"data/extracted/hidden_states/{{model}}/{CORPUS}.safetensors")
    assert np.array_equal(load_tensors(str(file))["token"][-1], states)
    mine, its = (side.measure("explained_variance")["curve"] for side in (spaces, s))
    pd.testing.assert_frame_equal(mine, its)


def test_a_model_in_memory_has_the_tables_of_its_folder(
    study: Path, s: Spaces, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(study)
    model, tokenizer = by_hand(study)
    spaces = embspace.spaces(model, TEXTS, tokenizer=tokenizer)
    mine, its = (side.measure("search")["csv"] for side in (spaces, s))
    assert len(mine) > 10
    pd.testing.assert_frame_equal(mine, its, rtol=1e-3, atol=1e-3)


def test_vectors_of_modules_that_are_not_known_are_searched(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(study)

    class Doubled(torch.nn.Module):  # type: ignore[misc]
        def forward(self, features: dict[str, Any]) -> dict[str, Any]:
            return {**features, "sentence_embedding": 2 * features["sentence_embedding"]}

    write_modules(build_tiny_bert(tmp_path / "one"), [pooling("mean")])
    encoder = sentence_transformers.SentenceTransformer(str(tmp_path / "one"), device="cpu")
    encoder.append(Doubled())
    spaces = embspace.spaces(encoder, TEXTS)
    assert "sentence" in set(spaces.measure("search")["csv"]["embedding"])
    folder = spaces._measurements.inputs.folder / "data/extracted/hidden_states/loaded"
    vectors = load_tensors(str(folder / f"{CORPUS}.halves.safetensors"))["sentence"][0]
    texts = split_halves(load_rows(f"{folder}/../../../prepared/texts/{CORPUS}.parquet"))
    assert np.allclose(vectors, encoder.encode(texts["text"].tolist()), atol=1e-5)
