"""Tells what a reader must know of the texts of a report: copies, unknown tokens, scripts."""

from collections.abc import Iterator
from contextlib import chdir
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from embspace.app.page.names import called_in
from embspace.errors import InputError, counted
from embspace.files.rows import load_rows
from embspace.models.tokens.unknown import not_checkable
from embspace.prepare.copies import plain_text
from embspace.prepare.texts import copies_told
from embspace.scripts.words import has_no_spaces
from embspace.settings.model import describe_model
from embspace.settings.params import CONF, PARAMS
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

# Analyses that read a file of texts of their own, by the chapter of their settings.
READERS = ("head_features", "word_order", "text_classification")
LARGEST = "largest_unknown_share"
NO_SPACES = (
    "{n:,} of {of:,} texts are in a script without spaces between words: what stands between two "
    "spaces counts as a word where words are counted, and no such word is followed or aligned"
)


def texts_told(folder: Path, model: str) -> list[str]:
    """Return sentences on the texts that the tree in `folder` has read by a model.

    Read from files of the tree; without the files a page does without.
    """
    labels = _labels(folder, read_yaml(folder / PARAMS)["corpora"])
    corpora = {
        label: texts
        for name, label in labels.items()
        if (file := folder / f"data/prepared/texts/{name}.parquet").is_file()
        # What an older version has prepared is prepared anew, and told then.
        and {"text", "copy_of", "document"} <= {*(texts := load_rows(str(file)))}
    }
    sentences = []
    for name, texts in corpora.items():
        if told := copies_told(texts):
            sentences.append(f"{name}: {told}.")
        if n := int(texts["text"].map(has_no_spaces).sum()):
            sentences.append(f"{name}: {NO_SPACES.format(n=n, of=len(texts))}.")
    return sentences + shared_told(corpora) + unknown_told(folder, model, corpora)


def _labels(folder: Path, names: list[str]) -> dict[str, str]:
    """Return what a user calls each corpus, with its name where two are called so."""
    labels = {name: called_in(folder, "corpus", name) for name in names}
    shared = [*labels.values()]
    return {
        name: f"{label} ({name})" if shared.count(label) > 1 else label
        for name, label in labels.items()
    }


def shared_told(corpora: dict[str, pd.DataFrame]) -> list[str]:
    """Return how many texts of a corpus stand in another one, too, word for word."""
    plain = {name: texts["text"].map(plain_text) for name, texts in corpora.items()}
    sentences = []
    for one, other in combinations(plain, 2):
        if n := int(plain[one].isin(set(plain[other])).sum()):
            sentences.append(
                f"{n:,} of {counted(len(plain[one]), 'text')} of {one} stand in {other}, too: "
                "where the two are beside each other, these are no second sample."
            )
    return sentences


def unknown_told(folder: Path, model: str, corpora: dict[str, pd.DataFrame]) -> list[str]:
    """Return how many of the tokens of all that stages read are unknown to the tokenizer."""
    tokenizer = _tokenizer(folder, model)
    if tokenizer is None:
        return []
    few, sentences = [], []
    for name, texts, largest in _read_texts(folder, corpora):
        share = _share(texts, tokenizer)
        if share > largest:
            sentences.append(f"{not_checkable(name, share, largest)}.")
        elif share:
            few.append(f"{100 * share:.2g} % of {name}")
    if few:
        beside = "; an unknown token is no word, no homonym and no class"
        sentences.append(f"Tokens that the tokenizer does not know: {', '.join(few)}{beside}.")
    return sentences or ["The tokenizer knows every token of the texts and stimuli."]


def _tokenizer(folder: Path, model: str) -> Any:
    from embspace.models.tokenizer import load_tokenizer, tokenizer_files

    with chdir(folder):
        try:
            described = read_yaml(CONF / "model" / f"{model}.yaml")
            description = describe_model(model, described)
            return load_tokenizer(model, description) if tokenizer_files(description) else None
        except InputError:
            return None


def _read_texts(
    folder: Path, corpora: dict[str, pd.DataFrame]
) -> Iterator[tuple[str, list[str], float]]:
    """Yield the name of each set of texts, the texts, and the largest share of unknown tokens."""
    largest = _settings(folder, "extract", "hidden_states").get(LARGEST, 1.0)
    yield from ((name, texts["text"].tolist(), largest) for name, texts in corpora.items())
    largest = _settings(folder, "extract", "stimuli").get(LARGEST, 1.0)
    for file in sorted((folder / "data/prepared/stimuli").glob("*.parquet")):
        yield f"the stimuli '{file.stem}'", load_rows(str(file))["text"].tolist(), largest
    read: dict[str, float] = {}
    for noun in READERS:
        settings = _settings(folder, "measure", noun)
        if settings and (folder / settings["texts"]).is_file():
            read.setdefault(settings["texts"], settings.get(LARGEST, 1.0))
    for path, largest in read.items():
        with chdir(folder):
            yield Path(path).name, _content(path), largest


def _content(path: str) -> list[str]:
    from embspace.files.texts import load_texts

    return [str(text) for text in load_texts(path)["text"]]


def _settings(folder: Path, verb: str, noun: str) -> dict[str, Any]:
    file = settings_path(verb, noun, folder)
    return read_yaml(file) if file.is_file() else {}


def _share(texts: list[str], tokenizer: Any) -> float:
    unknown = tokenizer.unk_token_id
    encoded = (
        tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"] if texts else []
    )
    n_tokens = sum(map(len, encoded))
    n_unknown = sum(ids.count(unknown) for ids in encoded)
    return n_unknown / n_tokens if n_tokens else float(bool(texts))
