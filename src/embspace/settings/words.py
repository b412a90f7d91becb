"""Describes the sources of probed words that conf/prepare/stimuli.yaml may name."""

from typing import Annotated, Literal

from pydantic import Field

from embspace.settings.params import LARGEST_SEED
from embspace.settings.schema import Strict


class WordFile(Strict):
    """Words in a file, JSON lines: id, word, lemma and part of speech of each."""

    source: Literal["file"]
    path: str


class WordNetWords(Strict):
    """Words drawn from the database files of WordNet 3.x, under WordNet's own license.

    `folder` holds data.noun, data.verb and data.adj; WordNet itself calls it `dict`.
    """

    source: Literal["wordnet"]
    folder: str
    n_words: int = Field(ge=1)  # of each part of speech
    seed: int = Field(ge=0, le=LARGEST_SEED)  # its own: another one draws other words


WordSource = Annotated[WordFile | WordNetWords, Field(discriminator="source")]
