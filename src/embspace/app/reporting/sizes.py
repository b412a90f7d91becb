"""The size of the inputs of a report's stages: of a model, and of texts."""

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import chdir, suppress
from pathlib import Path

from embspace.app.reporting.costs import Size
from embspace.app.working_tree import OwnTexts
from embspace.errors import InputError
from embspace.settings.model import describe_model
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml

FEWEST_WORDS, MOST_WORDS = 8, 14  # of conf/measure/open_questions/opposite_texts.yaml
SENTENCE = re.compile(
    rf"[^\W\d_]+(?:[,;:]? [^\W\d_]+){{{FEWEST_WORDS - 1},{MOST_WORDS - 1}}}[.!?]?"
)
"""A sentence of words of letters alone; a tokenizer that does not know them leaves fewer."""


def count_sentences(texts: Iterable[str]) -> int:
    """Return the number of different sentences of 8 to 14 words, without numbers."""
    from embspace.prepare.sentences import split_sentences

    sentences = {part for text in texts for part in split_sentences(text)}
    return sum(SENTENCE.fullmatch(sentence) is not None for sentence in sentences)


def size_of(folder: Path, model: str, corpora: Collection[str], files: Sequence[OwnTexts]) -> Size:
    """Return the size of a model that a tree describes, and of corpora, of which some are files."""
    characters = sum(len(own.content) for own in files)
    characters += sum(map(_characters_of, {*corpora} - {own.name for own in files}))
    parameters, tokens = _parameters_of(folder, model)
    counts = [own.n_sentences for own in files]
    is_known = {*corpora} == {own.name for own in files} and None not in counts
    sentences = sum(count or 0 for count in counts) if is_known else None
    return Size(parameters, characters, len(corpora), tokens, sentences)


def _parameters_of(folder: Path, model: str) -> tuple[int, int]:
    """Return the number of a model's parameters, and of tokens; 0 if not known.

    From its description or, approximately, from its config: a block has 4 matrices of dim x dim in
    attention, and as a rule 8 in the MLP.
    """
    from embspace.models.architecture import load_config

    content = read_yaml(folder / CONF / "model" / f"{model}.yaml")
    said, config = int(content.get("parameters") or 0), None
    with suppress(InputError), chdir(folder):
        config = load_config(model, describe_model(model, content))
    if config is None:
        return said, 0
    names = ("num_hidden_layers", "hidden_size", "vocab_size")
    n_layers, dim, n_tokens = (getattr(config, name, 0) for name in names)
    return said or 12 * n_layers * dim**2 + n_tokens * dim, n_tokens


def _characters_of(corpus: str) -> int:
    """Return about how long the texts of a corpus are: the size of its file, if present."""
    path = read_yaml(CONF / "corpus" / f"{corpus}.yaml").get("path")
    file = Path(str(path))
    return file.stat().st_size if path and file.is_file() else 0
