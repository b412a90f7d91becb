"""Texts of a data set of the model hub, through Hugging Face's library `datasets`."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pandas as pd

from embspace.errors import InputError, reason_of
from embspace.files.texts import flaw_of_text
from embspace.settings.corpus import HubCorpus

if TYPE_CHECKING:
    import httpx2

KEPT = ("domain", "subject")
PHASES = ("connect", "read", "write", "pool")  # of a request, each with its own limit
OFFLINE = (
    "without a network: download it once where there is one, with HF_HOME set to a folder of its "
    "own, copy that folder here, and set HF_HOME to it and HF_HUB_OFFLINE=1; or save the texts as "
    "parquet and use `source: file`"
)


def load_hub_texts(corpus: HubCorpus) -> pd.DataFrame:
    """The texts of one split: `id`, `text`, and, if present, `domain` and `subject`.

    Without `id_column`, the column `id`, or else the row's number, from 1. The first `n_texts`
    rows, or all. Without a `revision`, the newest, named in a warning.

    The library caches downloads and reads the environment: HF_ENDPOINT, HF_HOME, HF_HUB_OFFLINE,
    HF_DATASETS_CACHE, HF_TOKEN (https://huggingface.co/docs/datasets/cache). No code of a data set
    ever runs.

    Raises:
        InputError: naming the data set, if the library is missing, the hub cannot be reached, or
            the data set, revision, subset, split or column does not exist, with the existing names;
            naming the row, for an empty text or a repeated id.
    """
    check_library(corpus)
    builder = _prepared_builder(corpus)
    try:
        dataset = builder.as_dataset(split=corpus.split)
    except ValueError as error:  # names the splits that there are
        raise InputError(f"{_name(corpus)}: key 'split': {reason_of(error)}") from None
    rows = _rows(dataset, corpus)
    table = pd.DataFrame({"id": _ids(rows, corpus).astype(str), "text": rows[corpus.text_column]})
    for column in KEPT:
        if column in rows:
            table[column] = rows[column]
    _check(table, corpus)
    return table


def check_library(corpus: HubCorpus) -> None:
    """Stop unless the library `datasets`, which is no dependency of embspace, is installed.

    Raises:
        InputError: naming the data set, and how to install the library.
    """
    if find_spec("datasets") is None:
        raise InputError(
            f"{_name(corpus)}: needs the library `datasets`: pip install 'embspace[hub]'"
        )


def _prepared_builder(corpus: HubCorpus) -> Any:
    """Return the library's reader of the data set, with the data on this machine."""
    from datasets import load_dataset_builder
    from datasets.exceptions import DatasetNotFoundError
    from huggingface_hub import set_client_factory

    set_client_factory(_impatient_client)
    try:
        with _without_warnings():
            # What `load_dataset` does, in steps, to see the commit before anything is downloaded.
            # The prefix keeps it from taking a local folder of this name.
            builder = load_dataset_builder(
                f"hf://datasets/{corpus.repository}", name=corpus.subset, revision=corpus.revision
            )
            _check_revision(builder.hash, corpus)
            builder.download_and_prepare()
    except InputError:
        raise
    except (DatasetNotFoundError, ValueError) as error:
        # The library calls a subset a config, and names those that there are.
        key = "key 'subset': " if "onfig" in str(error) else ""
        raise InputError(f"{_name(corpus)}: {key}{reason_of(error)}") from None
    except Exception as error:  # of many kinds, those of the HTTP client among them
        reason = f"{type(error).__name__}: {reason_of(error)}"
        raise InputError(f"{_name(corpus)}: cannot be had: {reason}; {OFFLINE}") from error
    return builder


def _impatient_client() -> "httpx2.Client":
    """Return the library's client, which waits as long for any answer as for a download."""
    from huggingface_hub import constants
    from huggingface_hub.utils._http import default_client_factory

    def limit(request: "httpx2.Request") -> None:
        # The library asks for `None` by name, so that a limit of the client's own would not hold.
        limits = dict.fromkeys(PHASES, float(constants.HF_HUB_DOWNLOAD_TIMEOUT))
        request.extensions["timeout"] = limits

    client = default_client_factory()
    client.event_hooks = {**client.event_hooks, "request": [*client.event_hooks["request"], limit]}
    return client


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Keep the library from reporting every try; it gives up after 25 seconds."""
    logger = logging.getLogger("huggingface_hub")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _check_revision(revision: str, corpus: HubCorpus) -> None:
    # Offline, the library takes whatever commit it cached last, with no regard to `revision`.
    if corpus.revision is None:
        logging.getLogger(__name__).warning(
            "%s: `revision` pins nothing, took %s; write that there to keep it",
            _name(corpus),
            revision,
        )
    elif revision != corpus.revision:
        raise InputError(
            f"{_name(corpus)}: the hub cannot be reached, and of this data set the cache last got "
            f"the revision {revision}, not {corpus.revision}; {OFFLINE}"
        )


def _rows(dataset: Any, corpus: HubCorpus) -> pd.DataFrame:
    """Return the needed columns of the wanted rows."""
    for key in ("text_column", "id_column"):
        column = getattr(corpus, key)
        if column is not None and column not in dataset.column_names:
            raise InputError(
                f"{_name(corpus)}: key '{key}': no column '{column}', found "
                f"{', '.join(dataset.column_names)}"
            )
    if (corpus.n_texts or 0) > len(dataset):
        raise InputError(
            f"{_name(corpus)}: key 'n_texts': found {corpus.n_texts}, the split '{corpus.split}' "
            f"holds {len(dataset)}"
        )
    wanted = {corpus.text_column, corpus.id_column, "id", *KEPT}
    columns = [column for column in dataset.column_names if column in wanted]
    chosen = dataset.select_columns(columns).select(range(corpus.n_texts or len(dataset)))
    return pd.DataFrame(chosen.to_pandas())


def _ids(rows: pd.DataFrame, corpus: HubCorpus) -> pd.Series:
    column = corpus.id_column or "id"
    return rows[column] if column in rows else pd.Series(range(1, len(rows) + 1))


def _check(table: pd.DataFrame, corpus: HubCorpus) -> None:
    if table.empty:
        raise InputError(f"{_name(corpus)}: the split '{corpus.split}' holds no text")
    for number, (name, text) in enumerate(zip(table["id"], table["text"], strict=True), 1):
        where = f"{_name(corpus)}: row {number} of the split '{corpus.split}'"
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"{where}, column '{corpus.text_column}': found {text!r}, not a text")
        if not isinstance(name, str) or not name.strip():
            raise InputError(
                f"{where}, column '{corpus.id_column or 'id'}': found {name!r}, not a name"
            )
        for kind, string in (("id", name), ("text", text)):
            if flaw := flaw_of_text(string):
                raise InputError(f"{where}: the {kind} {name!r} {flaw}")
    repeated = table["id"].duplicated()
    if repeated.any():
        number = int(repeated.to_numpy().argmax()) + 1
        name = table["id"].iloc[number - 1]
        raise InputError(
            f"{_name(corpus)}: row {number}: the id '{name}' is that of an earlier row"
        )


def _name(corpus: HubCorpus) -> str:
    subset = f", subset '{corpus.subset}'" if corpus.subset else ""
    return f"data set {corpus.repository}{subset}"
