"""Analyses of texts in this process against the stages on the files of `extract_hidden_states`."""

from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

from embspace.app.api import CORPUS, Spaces
from embspace.app.queries.measured import files_read
from embspace.errors import InputError
from embspace.extract import hidden_states
from embspace.files.rows import save_rows
from embspace.files.tables import load_table
from embspace.graph import declaration, modules
from embspace.prepare.texts import prepare_texts
from embspace.settings.corpus import describe_corpus
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, checked_settings, settings_file
from tests.app.queries.measured_study import s, study
from tests.loaded.folders import tree

__all__ = ["s", "study", "tree"]


UNDECLARED = {"atlas"}  # read results of stages without a declaration


@pytest.mark.parametrize("noun", [*modules()])
def test_what_every_declared_analysis_reads_is_made_here(noun: str, s: Spaces):
    unknown = [path for path in files_read(noun) if not s._measurements.inputs.knows(path)]
    assert bool(unknown) == (noun in UNDECLARED)
    if unknown:
        pattern = rf"found '{noun}', which reads results/.*s\.table\('{noun}'\) computes it"
        with pytest.raises(InputError, match=pattern):
            s.measure(noun)


@pytest.mark.parametrize("folder", ["results", "data/measured", "data/projected"])
def test_results_of_undeclared_analyses_are_not_known(folder: str, s: Spaces):
    inputs = s._measurements.inputs
    assert inputs.knows(f"{folder}/search/{{model}}.csv")
    assert not inputs.knows(f"{folder}/direction/{{model}}.csv")
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
    of_corpus = {"corpus_name": CORPUS, "corpus": corpus, "corpora": [CORPUS]}
    hidden_states.main(config(extract, **of_corpus))
    function = declaration(noun).function
    of_all = {"corpus_name": "", "corpus": {}, "corpora": [CORPUS]}
    import_module(function.__module__).main(config(function, **of_all))


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
