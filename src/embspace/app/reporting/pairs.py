"""Command `embspace compare`: the comparison of two models, computed and put on a page.

The comparison runs in a separate tree, like a report of a single model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from embspace.app.checks.probed import check_probed
from embspace.app.describe.find import Say
from embspace.app.describe.given import Given
from embspace.app.describe.names import is_described
from embspace.app.homes import expanded
from embspace.app.queries.reported import OF_PAIRS
from embspace.app.report import fetch_model
from embspace.app.reporting.costs import Expected, Size, cost_told
from embspace.app.reporting.growing import draw_analysis, share_drawings
from embspace.app.reporting.listed import note
from embspace.app.reporting.parts import Analysis, makers
from embspace.app.reporting.sizes import size_of
from embspace.app.reporting.slowness import slowness
from embspace.app.reporting.subject import REPORTS, Subject, describe_subject
from embspace.app.repro.durations import Durations
from embspace.app.repro.environment import n_cores
from embspace.app.repro.schedule import Needs
from embspace.app.run import tell
from embspace.app.working_tree import TREES, WorkingTree
from embspace.errors import InputError
from embspace.files.tables import load_table
from embspace.settings.params import CONF, PAIR, models_of
from embspace.settings.pipeline import read_stages
from embspace.settings.roots import find_root
from embspace.settings.schema import read_yaml

CHAPTER = "compare"
NOUNS = (
    *("alignment", "model_imbalance", "vocabularies", "model_parameter_alignment"),
    *("model_stitching", "model_changes", "model_tuning_words", "measures"),
)
MEASURES = "measures"  # needs nearly all that is measured of each model


class ComparedModels(NamedTuple):
    """Two models, and the texts that both read."""

    first: Subject
    second: Subject

    @property
    def key(self) -> str:
        """Return the name of the pair, as its results have it."""
        return f"{self.first.model}{PAIR}{self.second.model}"

    @property
    def title(self) -> str:
        """Return the title under which the page is listed."""
        model, *_ = self.first.written
        other, *_ = self.second.written
        return f"{model} and {other}{self.first.title.removeprefix(model)}"

    @property
    def name(self) -> str:
        """Return the name of the pair, with its texts if they are not those of params.yaml."""
        return self.key + self.first.name.removeprefix(self.first.model)


def describe_pair(
    model: str,
    other: str,
    corpora: Sequence[str] | None,
    say: Say,
    *,
    reading: dict[str, Any] | None = None,
    given: Given | None = None,
) -> ComparedModels:
    """Return two models and their texts; arguments are those of `describe_subject`.

    The facts in `given` are about a model that has no file in conf/. Two models with the same label
    are called by their names.

    Raises:
        InputError: if a model is unknown or cannot be compared, or both are the same; if a single
            tokenizer is given for two folders.
    """
    first_given, second_given = _given_to(model, other, given or {})
    first = describe_subject(model, corpora, say, reading=reading, given=first_given)
    second = describe_subject(other, None, say, given=second_given)
    same_files = first.described and _files_of(first) and _files_of(first) == _files_of(second)
    if first.model == second.model or same_files:
        raise InputError(f"compare: found {model} and {other}, one model; allowed: two")
    for word, subject in ((model, first), (other, second)):
        if _description(subject).get("source") == "vectors":
            raise InputError(f"{word}: is vectors without a model; allowed: models, which read")
    if _description(first).get("label") == _description(second).get("label"):
        return ComparedModels(_called_by_name(first), _called_by_name(second))
    return ComparedModels(first, second)


def _given_to(model: str, other: str, given: Given) -> tuple[Given | None, Given | None]:
    """Return the given facts by model: a tokenizer belongs to the model in a folder."""
    root = find_root()
    free = [word for word in (model, other) if not is_described(word, root)]
    folders = [word for word in free if expanded(word).is_dir()]
    if "tokenizer" in given and len(folders) > 1:
        raise InputError(
            f"--tokenizer: found for two folders, {model} and {other}, allowed: for one; put the "
            "other's tokenizer into its folder"
        )

    def of(word: str) -> Given | None:
        if free and word not in free:
            return None
        is_its = not folders or word in folders
        return {key: said for key, said in given.items() if key != "tokenizer" or is_its} or None

    return of(model), of(other)


def _description(subject: Subject) -> dict[str, Any]:
    file = find_root() / CONF / "model" / f"{subject.model}.yaml"
    return subject.described or read_yaml(file)


def _called_by_name(subject: Subject) -> Subject:
    """Return a model with its name, which has a digest, as label; a model of conf/ unchanged."""
    if not subject.described:
        return subject
    return replace(subject, described={**subject.described, "label": subject.model})


def write_comparison(
    pair: ComparedModels, say: Say, *, with_measures: bool, jobs: int | None = None
) -> Path:
    """Compute missing results of a pair, and write its page; the current folder is a root.

    Returns:
        The page, relative to the root.

    Raises:
        InputError: with the message of a stage that failed; the next call goes on from there.
    """
    from embspace.app.page.names import names_of
    from embspace.app.page.overview import write_named

    root, tree = Path.cwd(), _open_tree(pair, say)
    with tree.locked():
        nouns = [noun for noun in NOUNS if with_measures or noun != MEASURES]
        wanted = [Analysis(noun, CHAPTER, 0, "") for noun in nouns]
        stages = makers(tree.folder, pair.key, wanted)
        # A figure may show tables of a neighbor, whose stage is wanted once.
        targets = [*dict.fromkeys(address for made in stages.values() for address in made)]
        if not targets:  # by which all stages of the tree would be meant
            raise InputError(f"{tree.folder}: no stage compares models")
        share_drawings(tree.root, tree.folder)
        _run(tree, pair, targets, say, jobs)
        for analysis in stages:
            draw_analysis(tree.folder, analysis, pair.key)
        for sentence in _reasons(tree.folder, pair.key, nouns):
            say(sentence)
        named = names_of(tree.folder)[pair.key]
        note(root / REPORTS / pair.name, pair.title)
        return write_named(root, named, tree=tree.folder, folder=REPORTS / pair.name)


def _open_tree(pair: ComparedModels, say: Say) -> WorkingTree:
    for subject in pair:
        fetch_model(subject, say)
        if subject.described is None:
            check_probed(subject.model, Path.cwd())
    first, second = pair
    tree = WorkingTree(Path.cwd(), (TREES / f"{pair.name}{OF_PAIRS}").absolute())
    tree.update(
        *(first.model, first.corpora, first.own, first.described),
        further=first.further,
        beside={second.model: second.described},
    )
    return tree


def _run(
    tree: WorkingTree, pair: ComparedModels, targets: Sequence[str], say: Say, jobs: int | None
) -> None:
    from embspace.app.checks.long_stimuli import check_stimuli

    check_stimuli(tree.folder, tree.stages(*targets))
    size = _size(tree.folder, pair)
    expected = Expected(
        *(read_stages(tree.folder), size),
        is_quicker=False,
        slowness=lambda: slowness(jobs or n_cores()),
    )
    durations = Durations(tree.root, tree.folder.name, expected)

    def announce(needs: Needs) -> None:
        say(cost_told(needs, durations, jobs, _way_of))

    steps = tree.reproduce(*targets, jobs=jobs, durations=durations, announce=announce)
    tell(steps, say)


def _size(tree: Path, pair: ComparedModels) -> Size:
    """Return the size of the texts, and of the larger model."""
    first = pair.first
    sizes = [size_of(tree, model, first.corpora, first.files) for model in models_of(pair.key)]
    return max(sizes, key=lambda size: size.parameters)


def _way_of(stage: str) -> str:
    """Return how a stage is left out: stages that measure a model serve one table alone."""
    is_measure = stage.startswith(("measure_", "compare_measures"))
    return " (--no-measures leaves it out)" if is_measure else ""


def _reasons(tree: Path, pair: str, nouns: Sequence[str]) -> Iterator[str]:
    """Yield why parts of the tables are empty, as of models without a token in common."""
    for noun in nouns:
        file = tree / "results" / noun / f"{pair}.csv"
        table = load_table(str(file)) if file.is_file() else None
        if table is not None and "reason" in table:
            for reason in table["reason"].dropna().astype(str).unique():
                yield f"{noun}: {reason}"


def _files_of(subject: Subject) -> Any:
    return (subject.described or {}).get("sha256")
