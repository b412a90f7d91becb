"""Holds what analyses of runs read beside their checkpoints to the files of a study."""

from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.measure.tables.run_corpora import FINAL_NORM, RUN_FOLDER, corpus_of
from tests.train.runs import MASKED, small_run

RUN = small_run({"first": MASKED})


def test_a_run_names_its_corpus(root: Path):
    corpus = corpus_of(str(root / "conf/corpus"), RUN.model_copy(update={"corpus": "posts"}))
    assert corpus.label == "posts"
    with pytest.raises(InputError, match=r"gone\.yaml"):
        corpus_of(str(root / "conf/corpus"), RUN.model_copy(update={"corpus": "gone"}))


def test_the_last_module_is_that_of_the_description():
    assert FINAL_NORM.load("small", RUN) is None
    described = RUN.model_copy(update={"final_norm": "ln_f"})
    assert FINAL_NORM.load("small", described) == "ln_f"
    assert RUN_FOLDER.load("data/trained/small") == "data/trained/small"
