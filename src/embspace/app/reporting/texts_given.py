"""The texts of a report: corpora by name, and files as further corpora."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embspace.app.reporting.english import function_words, is_english
from embspace.app.reporting.sizes import count_sentences
from embspace.app.working_tree import OwnTexts
from embspace.errors import InputError, not_among
from embspace.files.remote import local_path
from embspace.settings.find_description import described_in
from embspace.settings.params import CONF, PARAMS, STIMULI, Params
from embspace.settings.schema import read_yaml, validate

if TYPE_CHECKING:
    import pandas as pd

GROUPS = ("topic", "label", "subject", "category", "class", "domain")  # columns that color a map
GROUP = "group_column"  # of a description in conf/corpus/: the label of each text
DOCUMENT = "document_column"  # of one: what belongs together
MOST_LABELS, FEWEST_OF_LABEL = 20, 5  # values of a column, and texts of each, that may be labels
OPTIONS = {GROUP: "label-column"}  # of the command, where the key has another name


def texts_given(
    corpora: Sequence[str | None], root: Path, reading: dict[str, Any]
) -> tuple[list[str], list[OwnTexts]]:
    """Return the corpora of several names and files, and the texts of the files.

    Raises:
        InputError: if a corpus is unknown, or given twice.
    """
    names, files = list[str](), list[OwnTexts]()
    if reading and not any(map(_is_file, corpora)):
        options = ", ".join(f"--{OPTIONS.get(key, key.replace('_', '-'))}" for key in reading)
        raise InputError(f"{options}: found without a file of texts, allowed: with one")
    for corpus in corpora or [None]:
        corpus_names, own = _texts(corpus, root, reading)
        if own is not None and own.name in names:
            own = replace(own, name=f"{own.name}_{own.digest}")
            corpus_names = [own.name]
        if not {*corpus_names}.isdisjoint(names) or (
            own and own.content in [texts.content for texts in files]
        ):
            raise InputError(f"--corpus: found {corpus} twice, allowed: other texts each time")
        names += corpus_names
        files += [own] if own else []
    return names, files


def _is_file(corpus: str | None) -> bool:
    return corpus is not None and (Path(corpus).exists() or not re.fullmatch(r"[\w-]+", corpus))


def _texts(
    corpus: str | None, root: Path, reading: dict[str, Any]
) -> tuple[list[str], OwnTexts | None]:
    if corpus is None:
        return validate(Params, read_yaml(root / PARAMS), str(root / PARAMS)).corpora, None
    if not _is_file(corpus):
        described_in(root / CONF / "corpus", corpus)
        return [corpus], None
    if not local_path(corpus).exists():  # before what reads it is imported, which takes seconds
        raise InputError(f"{corpus}: not found")
    own = _own_texts(Path(corpus), root, reading)
    return [own.name], own


def _own_texts(file: Path, root: Path, reading: dict[str, Any]) -> OwnTexts:
    """Return the texts of a file, which is read once to check it."""
    from embspace.files.formats.endings import stem_of
    from embspace.files.texts import content_of, load_texts

    options = dict(reading)
    label_column, unit = options.pop(GROUP, None), options.pop(DOCUMENT, None)
    texts = load_texts(str(file), **options)
    if unit is not None:
        options[DOCUMENT] = unit
    _check_documents(texts, unit, file)
    if label_column is not None:
        if label_column not in texts or not _tells_apart(texts, label_column):
            columns = [column for column in map(str, texts) if _tells_apart(texts, column)]
            raise InputError(
                f"--label-column: found '{label_column}', allowed: a column of {file} with several "
                f"labels that texts share, {', '.join(columns) or 'of which it has none'}"
            )
        options[GROUP] = label_column
    elif group := next((column for column in GROUPS if _tells_apart(texts, column)), None):
        options[GROUP] = group
    name = re.sub(r"[^A-Za-z0-9_]+", "_", stem_of(file.name)).strip("_") or "texts"
    if not name.endswith("s"):
        name = f"texts_of_{name}"  # sentences say "two docstrings", and "two texts of my"
    while name == STIMULI or (root / CONF / "corpus" / f"{name}.yaml").exists():
        name += "_file"
    suffix, content = content_of(str(file))
    strings = texts["text"].astype(str)
    return OwnTexts(
        *(name, file.name, suffix, content, options, str(file)),
        is_english=is_english(strings, function_words(root)),
        n_sentences=count_sentences(strings),
        unread_labels=() if GROUP in options else tuple(_label_columns(texts, options)),
    )


def _label_columns(texts: "pd.DataFrame", options: dict[str, Any]) -> list[str]:
    """Return the columns that may be labels: few values, each shared by several texts."""
    used = {"id", "text", "document", *map(str, options.values())}
    return [
        name
        for name in map(str, texts)
        if name not in used
        and _tells_apart(texts, name)
        and texts[name].nunique() <= MOST_LABELS
        and texts[name].value_counts().min() >= FEWEST_OF_LABEL
    ]


def labels_unread(files: Sequence[OwnTexts]) -> list[str]:
    """Return sentences on columns of possible labels, with the option for reading the labels."""
    return [
        f"{own.place}: column '{column}' has a few values that texts share; "
        f"--{OPTIONS[GROUP]} {column} reads them as labels"
        for own in files
        for column in own.unread_labels
    ]


def _check_documents(texts: "pd.DataFrame", unit: str | None, file: Path) -> None:
    """Stop if all texts are of the same document, which shows before anything is computed."""
    from embspace.prepare.texts import flaw_of_documents

    if unit is not None and unit not in texts:
        raise InputError(f"--document-column: {not_among(unit, [*map(str, texts)])}")
    column = unit or "document"
    if column in texts and (flaw := flaw_of_documents(texts[column].astype(str))):
        raise InputError(f"{file}: column '{column}': {flaw}")


def _tells_apart(texts: "pd.DataFrame", column: str) -> bool:
    """Return whether a column has several values, of which some are shared by texts."""
    from pandas.api.types import is_scalar

    if column not in texts or not texts[column].map(is_scalar).all():  # JSON lines may have lists
        return False
    return 1 < texts[column].nunique() < len(texts)
