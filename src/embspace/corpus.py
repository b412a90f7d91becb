"""What conf/corpus/<name>.yaml may say. A corpus is data, as a model is."""

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


def corpus_file(name: str) -> str:
    """Where the corpus `name` is described."""
    return str(CONF / "corpus" / f"{name}.yaml")


def describe_corpus(name: str, content: dict[str, Any]) -> Corpus:
    """The content of a corpus's file, checked."""
    return validate(Corpus, content, corpus_file(name))
