"""Runs `embspace cite`: prints the method of an analysis, and the references as BibTeX."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, UndefinedError

from embspace.cite.bibliography import Reference, load_references
from embspace.cite.description import model_sentence
from embspace.cite.facts import Facts, NoValue, described, described_corpus
from embspace.cite.methods import Methods, all_methods, load_methods, papers_of
from embspace.cite.wording import (
    conjunction,
    percent,
    plural,
    reference_keys,
    with_references,
    worded,
)
from embspace.errors import InputError
from embspace.models.lock import read_lock
from embspace.settings.model import RandomModel, VectorsModel
from embspace.settings.params import PARAMS
from embspace.settings.pipeline import (
    LOCK,
    Stage,
    find_stages,
    graph_files,
    read_locked,
    read_stages,
)
from embspace.settings.schema import read_yaml

CLOSING = (
    "All was computed by `{stage}` of embspace {version} [@embspace], which takes up and extends "
    "the analyses of @luisto2024."
)


@dataclass(frozen=True)
class Citation:
    """The sentences for a paper, and warnings to read before."""

    text: str
    bibtex: str
    notes: tuple[str, ...]


def cite(noun: str, model_name: str, *, latex: bool, origin: str = "") -> Citation:
    """The method of an analysis of a model, as plain text or LaTeX, and BibTeX.

    `origin` says where a model comes from if nobody knows its files, in the words after "was".

    Raises:
        InputError: naming the noun, model, setting or result that is unknown or missing.
    """
    methods = load_methods(noun)
    facts = Facts(methods, model_name)
    marked = marked_text(methods, facts, origin)
    references, keys = load_references(), reference_keys(marked)
    if unknown := [key for key in keys if key not in references]:
        raise InputError(f"no reference has the key {', '.join(unknown)}")
    text = latex_text(marked) if latex else plain_text(marked, references)
    return Citation(
        text=text,
        bibtex="\n".join(references[key].bibtex for key in keys),
        notes=tuple(filter(None, (*_stale(facts), _unknown_model(facts)))),
    )


def methods_of(nouns: Iterable[str], model_name: str) -> tuple[dict[str, str], str]:
    """Return the sentences of a model's analyses by noun, and BibTeX of the references.

    Analyses without sentences, or without a needed result, are left out. The common sentences on
    the model and on embspace stand last, under the empty noun.
    """
    known, references, marked = all_methods(), load_references(), dict[str, str]()
    for noun in (noun for noun in nouns if noun in known):
        with suppress(InputError, UndefinedError):
            marked[noun] = _rendered(known[noun].template, Facts(known[noun], model_name))
    model = model_sentence(described(model_name), read_lock().get(model_name))
    closing = CLOSING.replace("`{stage}`", "the stages").format(version=version("embspace"))
    marked[""] = f"{model} {closing}"
    keys = reference_keys(" ".join(marked.values()))
    texts = {noun: plain_text(text, references) for noun, text in marked.items()}
    return texts, "\n".join(references[key].bibtex for key in keys if key in references)


def marked_text(methods: Methods, facts: Facts, origin: str = "") -> str:
    """The sentences with all values, and with references as keys; `origin` as `cite` says.

    Raises:
        NoValue: if a result has no value that a sentence needs.
    """
    try:
        sentences = [_rendered(methods.template, facts)]
    except UndefinedError as error:
        raise NoValue(
            f"'{methods.noun}' of '{facts.model_name}' is empty: {error}; expected a value: "
            f"`dvc repro` makes it, unless there is nothing of which to measure it"
        ) from error
    if facts.model and origin:
        sentences.append(f"{facts.model.label} was {origin}.")
    elif facts.model:
        sentences.append(model_sentence(facts.model, read_lock().get(facts.model_name)))
    closing = CLOSING.format(stage=_stage(methods).name, version=version("embspace"))
    return " ".join([*sentences, closing])


def _rendered(template: str, facts: Facts) -> str:
    """Return the template as a single line, without empty lines in between."""
    environment = Environment(undefined=StrictUndefined, finalize=worded)
    filters = {"percent": percent, "plural": plural, "conjunction": conjunction}
    environment.filters |= {**filters, "described": described_corpus}
    text = environment.from_string(template).render(facts.variables())
    return " ".join(filter(None, map(str.strip, text.splitlines())))


def plain_text(marked: str, references: dict[str, Reference]) -> str:
    """References as authors and year."""

    def cited(keys: list[str], in_parentheses: bool) -> str:
        entries = [references[key] for key in keys]
        if in_parentheses:
            return f"({'; '.join(f'{entry.authors} {entry.year}'.strip() for entry in entries)})"
        return f"{entries[0].authors} ({entries[0].year})"

    return with_references(marked, cited=cited)


def latex_text(marked: str) -> str:
    r"""References as natbib's \citep and \citet, special characters harmless."""
    from embspace.draw.page.latex import escaped

    def cited(keys: list[str], in_parentheses: bool) -> str:
        return f"\\cite{'p' if in_parentheses else 't'}{{{','.join(keys)}}}"

    return with_references(marked, cited=cited, escaped=escaped)


def _stage(methods: Methods) -> Stage:
    """Return the stage with the noun's name, or the stage that makes several nouns' results."""
    stages = read_stages(Path())
    return stages.get(methods.name) or find_stages(Path(), methods.noun)[0]


def _stale(facts: Facts) -> Iterator[str]:
    """Yield a note if settings have changed since the run that made the results."""
    for stage in _items(facts):
        ran_with = _params_in_lock(stage)
        changed = [file for file, settings in ran_with.items() if _differs(Path(file), settings)]
        if changed:
            yield f"changed since `{stage}` ran: {', '.join(changed)}; `dvc repro`, and then cite"


def _items(facts: Facts) -> list[str]:
    """Return the stage of an analysis, by the names of items in dvc.lock."""
    stage = _stage(facts.methods)
    if "pair" in stage.entry.get("matrix", {}):
        return [stage.item(pair) for pair in facts.params.compared]
    return [stage.item(facts.model_name) if facts.methods.names_model else stage.name]


def _params_in_lock(stage: str) -> dict[str, Any]:
    """The settings of a stage's last run, by file; empty for a stage that never ran."""
    locks = (read_locked(lock) for lock in graph_files(Path(), LOCK))
    entry: dict[str, Any] = next((stages[stage] for stages in locks if stage in stages), {})
    return dict(entry.get("params", {}))


def _differs(file: Path, ran_with: dict[str, Any]) -> bool:
    """Return whether settings differ; of params.yaml only some keys count, of other files all."""
    settings = read_yaml(file) if file.is_file() else {}
    if file == PARAMS:
        settings = {key: settings.get(key) for key in ran_with}
    return settings != ran_with


def _unknown_model(facts: Facts) -> str:
    model = facts.model
    if model is None or isinstance(model, RandomModel | VectorsModel):
        return ""
    if papers_of(model.repository):
        return ""
    return f"no paper is known of '{facts.model_name}'; if it has one, cite it too"
