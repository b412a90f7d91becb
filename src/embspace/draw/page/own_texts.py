"""Calls a user's own texts in figures and tables as the user does, by the name of their file."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from embspace.errors import one_line
from embspace.settings.own import is_own
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml

TEXTS_OF = "texts of "
LONGEST = 40  # letters of a name in a figure
_NAMES: ContextVar[Mapping[str, str] | None] = ContextVar("own texts", default=None)


@contextmanager
def called_as_given(root: Path) -> Iterator[None]:
    """Call the texts that conf/corpus/ of a tree has from a user's files by the files' names."""
    token = _NAMES.set(own_names(root))
    try:
        yield
    finally:
        _NAMES.reset(token)


def own_names(root: Path) -> dict[str, str]:
    """Return the names of a user's corpora; corpora with equal labels have the file's name, too."""
    labels = {}
    for file in sorted((root / CONF / "corpus").glob("*.yaml")):
        content = read_yaml(file)
        if is_own(content):
            label = one_line(str(content.get("label", file.stem)))
            labels[file.stem] = label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"
    shared = [*labels.values()]
    return {
        name: f"{TEXTS_OF}{label}" + f" ({name})" * (shared.count(label) > 1)
        for name, label in labels.items()
    }


def corpus_called(corpus: str) -> str:
    """Return the name of a corpus for readers: of a user's file, or as it is."""
    return (_NAMES.get() or {}).get(corpus, corpus)


def units_of(units: str, corpus: str) -> str:
    """Return units of a corpus for readers, without naming texts twice."""
    called = corpus_called(corpus)
    is_of_texts = units in ("texts", "documents")
    return f"{units} of {called.removeprefix(TEXTS_OF) if is_of_texts else called}"
