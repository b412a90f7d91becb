"""Tells what a reader must know about the texts of a report: copies, unknown tokens, scripts."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import chdir
from functools import partial
from itertools import combinations, groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd

from embspace.app.page.foreign_texts import foreign_told
from embspace.app.page.names import called_in
from embspace.app.reporting.about import corpora_by_file
from embspace.app.reporting.parts import OF_ALL, OF_STIMULI
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
    "{n:,} of {of:,} texts are in a script without spaces between words: characters and "
    "pairs of them are counted in the place of words, and no word is followed or aligned"
)


TextsKind = Literal["corpus", "stimuli", "file"]


class UnknownShare(NamedTuple):
    """The share of unknown tokens among the tokens of some texts."""

    kind: TextsKind
    key: str
    """The name of the corpus or stimuli, or the path of the file."""
    label: str
    share: float
    largest: float
    """The largest share with which texts still count as read."""

    @property
    def is_read(self) -> bool:
        """Return whether stages read the texts."""
        return self.share <= self.largest


def texts_told(folder: Path, model: str, shares: list[UnknownShare] | None = None) -> list[str]:
    """Return sentences on the texts in the tree in `folder`, as a model has read them.

    They are derived from files of the tree; if these are missing, a page has no such sentences.
    `shares` are the `unknown_shares`, if known already.
    """
    by_name = _corpora(folder)
    corpora = dict(by_name.values())
    sentences = foreign_told(folder, model, by_name, partial(_tokenizer, folder, model))
    for name, texts in corpora.items():
        if copies := copies_told(texts):
            sentences.append(f"{name}: {copies}.")
        if n := int(texts["text"].map(has_no_spaces).sum()):
            sentences.append(f"{name}: {NO_SPACES.format(n=n, of=len(texts))}.")
    shares = unknown_shares(folder, model) if shares is None else shares
    return sentences + shared_told(corpora) + unknown_told(shares)


def corpora_called(folder: Path) -> dict[str, str]:
    """Return what the user calls each corpus, with its key where two are called the same."""
    names = read_yaml(folder / PARAMS)["corpora"]
    labels = {name: called_in(folder, "corpus", name) for name in names}
    shared = [*labels.values()]
    return {
        name: f"{label} ({name})" if shared.count(label) > 1 else label
        for name, label in labels.items()
    }


def shared_told(corpora: dict[str, pd.DataFrame]) -> list[str]:
    """Return how many texts of a corpus also stand in another one, word for word."""
    plain = {name: texts["text"].map(plain_text) for name, texts in corpora.items()}
    sentences = []
    for one, other in combinations(plain, 2):
        if n := int(plain[one].isin(set(plain[other])).sum()):
            sentences.append(
                f"{n:,} of {counted(len(plain[one]), 'text')} of {one} stand in {other}, too: "
                "where the two are beside each other, these are no second sample."
            )
    return sentences


def unknown_told(shares: list[UnknownShare]) -> list[str]:
    """Return how many tokens of all texts that stages read are unknown to the tokenizer."""
    if not shares:
        return []
    some = [known for known in shares if known.is_read and known.share]
    # A file of texts may be that of a corpus.
    few = [*dict.fromkeys(f"{100 * known.share:.2g} % of {known.label}" for known in some)]
    sentences = [f"{not_read(unread)}." for unread in by_bound(shares)]
    if few:
        beside = "; an unknown token is no word, no homonym and no class"
        sentences.append(f"Tokens that the tokenizer does not know: {', '.join(few)}{beside}.")
    return sentences or ["The tokenizer knows every token of the texts and stimuli."]


def not_read(unread: list[UnknownShare]) -> str:
    """Return, in one sentence, why texts with the same bound are not read."""
    labels = [*dict.fromkeys(f"{texts.label} ({100 * texts.share:.3g} %)" for texts in unread)]
    if len(labels) == 1:
        return not_checkable(unread[0].label, unread[0].share, unread[0].largest)
    return (
        f"More than {100 * unread[0].largest:g} % of the tokens are unknown to the tokenizer, and "
        f"nothing is measured, of {', '.join(labels)}"
    )


def by_bound(shares: Iterable[UnknownShare]) -> Iterator[list[UnknownShare]]:
    """Yield the shares beyond their bound, grouped by bound."""
    unread = sorted(
        (texts for texts in shares if not texts.is_read), key=lambda texts: texts.largest
    )
    for _, group in groupby(unread, key=lambda share: share.largest):
        yield [*group]


def unknown_shares(
    folder: Path, model: str, nouns: Collection[str] | None = None
) -> list[UnknownShare]:
    """Return the share of unknown tokens in every set of texts; none without a tokenizer.

    The sets are the corpora, and the stimuli and files that the analyses `nouns` read, by default
    all analyses.
    """
    tokenizer = _tokenizer(folder, model)
    if tokenizer is None:
        return []
    return [
        UnknownShare(kind, key, label, _share(texts, tokenizer), largest)
        for kind, key, label, texts, largest in _read_texts(folder, nouns)
    ]


def prepared_corpora(folder: Path) -> dict[str, pd.DataFrame]:
    """Return the texts of all prepared corpora, by name."""
    return {name: texts for name, (_, texts) in _corpora(folder).items()}


def _corpora(folder: Path) -> dict[str, tuple[str, pd.DataFrame]]:
    """Return the label and the texts of all prepared corpora, by name."""
    labels = corpora_called(folder)
    return {
        name: (label, texts)
        for name, label in labels.items()
        if (file := folder / f"data/prepared/texts/{name}.parquet").is_file()
        # What an older version has prepared is prepared anew, and told then.
        and {"text", "copy_of", "document"} <= {*(texts := load_rows(str(file)))}
    }


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
    folder: Path, nouns: Collection[str] | None
) -> Iterator[tuple[TextsKind, str, str, list[str], float]]:
    """Yield sets of texts: kind, key and label, the texts, and the largest unknown share."""
    largest = _settings(folder, "extract", "hidden_states").get(LARGEST, 1.0)
    for name, (label, texts) in _corpora(folder).items():
        yield "corpus", name, label, texts["text"].tolist(), largest
    largest = _settings(folder, "extract", "stimuli").get(LARGEST, 1.0)
    reads_stimuli = nouns is None or not {*OF_STIMULI, OF_ALL}.isdisjoint(nouns)
    stimuli = sorted((folder / "data/prepared/stimuli").glob("*.parquet"))
    for file in stimuli if reads_stimuli else []:
        sentences = load_rows(str(file))["text"].tolist()
        yield "stimuli", file.stem, f"the stimuli '{file.stem}'", sentences, largest
    read: dict[str, float] = {}
    for noun in (noun for noun in READERS if nouns is None or noun in nouns):
        settings = _settings(folder, "measure", noun)
        if settings and (folder / settings["texts"]).is_file():
            read.setdefault(settings["texts"], settings.get(LARGEST, 1.0))
    labels = corpora_called(folder)
    named = {path: labels[name] for path, name in corpora_by_file(folder, [*labels]).items()}
    for path, largest in read.items():
        with chdir(folder):
            yield "file", path, named.get(path, Path(path).name), _content(path), largest


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
