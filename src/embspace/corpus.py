"""What conf/corpus/<name>.yaml may say. A corpus is data, as a model is."""

import logging
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from embspace.config import CONF, validate


class Corpus(BaseModel):
    """Texts in a file, .jsonl or .txt."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    label: str
    licence: str
    language: str
    path: str


# What dvc.yaml watches for the stages that read texts.
WATCHED = (Path("data/texts"), Path("data/stimuli"))


def corpus_file(name: str) -> str:
    """Where the corpus `name` is described."""
    return str(CONF / "corpus" / f"{name}.yaml")


def describe_corpus(name: str, content: dict[str, Any]) -> Corpus:
    """The content of a corpus's file, checked.

    Says so if the texts lie where `dvc repro` would not notice that they change.
    """
    corpus = validate(Corpus, content, corpus_file(name))
    if not any(Path(corpus.path).is_relative_to(folder) for folder in WATCHED):
        logging.getLogger(__name__).warning(
            "%s: key 'path': `dvc repro` would not notice a change of %s; it watches %s",
            corpus_file(name),
            corpus.path,
            " and ".join(str(folder) for folder in WATCHED),
        )
    return corpus
