"""The subject of a report: a model, and its texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embspace.app.describe.description import check_complete
from embspace.app.describe.find import Say, find_model
from embspace.app.describe.given import Given
from embspace.app.reporting.texts_given import labels_unread, texts_given
from embspace.app.working_tree import OwnTexts
from embspace.settings.params import CONF, read_params
from embspace.settings.roots import find_root
from embspace.settings.schema import read_yaml

REPORTS = Path("reports")


@dataclass(frozen=True)
class Subject:
    """The subject of a report: a model, and texts, by default the texts of params.yaml."""

    model: str
    corpora: list[str]
    own: OwnTexts | None
    described: dict[str, Any] | None = None
    """The keys and values of a model without a file in conf/model/; None with a file."""
    options: tuple[str, ...] = ()
    """Options of the command that add or omit analyses, of `embspace.app.reporting.parts`."""
    further: tuple[OwnTexts, ...] = ()
    """Further texts of the user beside `own`, as corpora."""
    typed: str = ""
    """The model, as written by the user."""
    n_untrained: int = 0
    """Number of draws of random weights, beside the model in claims of publications."""

    @property
    def files(self) -> tuple[OwnTexts, ...]:
        """Return all texts from files, not from conf/corpus/."""
        return (*((self.own,) if self.own else ()), *self.further)

    @property
    def name(self) -> str:
        """Return the model's name, with the name of a corpus of your own.

        Two files of the same name get two names, which differ by content.
        """
        files = {own.name: f"{own.name}-{own.digest}" for own in self.files}
        is_usual = not files and self.corpora == read_params().corpora
        named = [] if is_usual else [files.get(corpus, corpus) for corpus in self.corpora]
        return "--".join([self.model, *named])

    @property
    def written(self) -> tuple[str, ...]:
        """Return the model, and the corpora if not the usual ones, as the user wrote them."""
        places = {own.name: own.place or own.label for own in self.files}
        is_usual = self.name == self.model
        corpora = [] if is_usual else [places.get(corpus, corpus) for corpus in self.corpora]
        return (self.typed or self.model, *corpora)

    @property
    def title(self) -> str:
        """Return the report's title in a list."""
        model, *corpora = self.written
        on = f" on {', '.join(corpora)}" if corpora else ""
        return model + on + "".join(f" --{option}" for option in self.options)

    @property
    def folder(self) -> Path:
        """Return the report's folder; no name contains "+", so no two reports share a folder."""
        return REPORTS / "+".join([self.name, *self.options])

    @property
    def is_study(self) -> bool:
        """Return whether params.yaml names the model and the texts, so that `run` computes them."""
        params = read_params()
        return self.own is None and self.model in params.models and self.corpora == params.corpora

    @property
    def is_english(self) -> bool:
        """Return whether texts are English, and the model is not described as of another language.

        Texts of a file are judged by their words, a corpus or a model of conf/ by its description.
        """
        from embspace.app.page.provenance import other_language

        files = {own.name for own in self.files}
        named = [CONF / "corpus" / f"{name}.yaml" for name in self.corpora if name not in files]
        file = CONF / "model" / f"{self.model}.yaml"
        model = read_yaml(file) if self.described is None else self.described
        described = [model, *map(read_yaml, named)]
        return all(own.is_english for own in self.files) and not any(map(other_language, described))


def describe_subject(
    model: str,
    corpus: str | Sequence[str] | None,
    say: Say,
    *,
    options: Sequence[str] = (),
    reading: dict[str, Any] | None = None,
    given: Given | None = None,
    n_untrained: int = 0,
) -> Subject:
    """Return the subject described by `model` and `corpus`.

    `model` is a name in conf/model/, a folder or a repository; `corpus` a file or a name in
    conf/corpus/, or several of these. `reading` says how the file is read, by keys of a description
    in conf/corpus/; `given` has what the user says about the model, by keys of a description in
    conf/model/; `n_untrained` is the number of draws of random weights.

    Raises:
        InputError: if the model or corpus is unknown, if the file cannot be read as texts, or if
            the files of the model lack needed keys.
    """
    root = find_root()
    named_texts = [corpus] if corpus is None or isinstance(corpus, str) else corpus
    corpora, files = texts_given(named_texts, root, reading or {})
    for sentence in labels_unread(files):
        say(sentence)
    named = find_model(model, root, say, given)
    check_complete(named, model)
    own = files[0] if files else None
    return Subject(
        *(named.name, corpora, own, named.described, tuple(options), tuple(files[1:])),
        typed=model,
        n_untrained=n_untrained,
    )
