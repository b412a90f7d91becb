"""Loads what analyses of runs read beside checkpoints: a corpus, a folder, the base."""

from pathlib import Path

from embspace.analysis import Source
from embspace.extract.checkpoints import form_of
from embspace.settings.corpus import Corpus, describe_corpus
from embspace.settings.run import Run
from embspace.settings.schema import read_yaml

RUN_FOLDER = Source(str, "data/trained/{run}")
"""The folder of a run's checkpoints."""
FINAL_NORM = Source(lambda name, run: form_of(name, run)["final_norm"])
"""The module after the last block of a run's models, if present."""
BASE = Source(lambda _, run: run.base)
"""The model of conf/model/ that a run goes on from, if any."""


def corpus_of(folder: str, run: Run) -> Corpus:
    """Return the description of a run's corpus, from a folder such as conf/corpus.

    Raises:
        InputError: if the file is missing or wrong.
    """
    return describe_corpus(run.corpus, read_yaml(Path(folder, f"{run.corpus}.yaml")))


CORPUS = Source(lambda folder, _, run: corpus_of(folder, run), "conf/corpus", described=True)
"""The description of a run's corpus."""
