"""Describes the sources of probed words allowed in conf/prepare/stimuli.yaml."""

from typing import Annotated, Literal

from pydantic import Field

from embspace.settings.params import LARGEST_SEED
from embspace.settings.schema import Strict


class WordFile(Strict):
    """Words in a file, JSON lines: id, word, lemma and part of speech."""

    source: Literal["file"]
    path: str


class WordNetWords(Strict):
    """Words drawn from the database files of WordNet 3.x, under WordNet's own license.

    `folder` has data.noun, data.verb and data.adj; WordNet itself calls the folder `dict`.
    """

    source: Literal["wordnet"]
    folder: str
    n_words: int = Field(ge=1)  # of each part of speech
    seed: int = Field(ge=0, le=LARGEST_SEED)  # its own: another one draws other words


WordSource = Annotated[WordFile | WordNetWords, Field(discriminator="source")]
