"""The page of a report: everything about a model in one HTML file that needs no network."""

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from embspace.app.page.fewest import why_few
from embspace.app.page.findings import HEADLINES, LABELS, Finding, findings_of, folded
from embspace.app.page.fragment import Fragment, policy_of
from embspace.app.page.html import as_html
from embspace.app.page.known_models import known_model_findings
from embspace.app.page.labels import label_findings, why_no_labels
from embspace.app.page.names import called_in
from embspace.app.page.nothing import TOO_FEW, is_empty, reads_nothing, sources_of, why_unread
from embspace.app.page.nouns import drawn_nouns, nouns_of_page
from embspace.app.page.pictures import fitted
from embspace.app.page.provenance import (
    corpora_of,
    facts_of,
    has_final_norm,
    is_decoder,
    this_machine,
    unknown_blocks,
    warnings_of,
)
from embspace.app.page.section import CHAPTERS, Section, label_of, section_of
from embspace.app.page.texts_read import UnknownShare, texts_told, unknown_shares
from embspace.app.page.unusual import distances_of
from embspace.app.queries.cosine_scale import scale_of
from embspace.app.reporting.parts import OF_STIMULI
from embspace.cite.bibliography import CITATION
from embspace.cite.command import methods_of
from embspace.prepare.sentences import FEWEST
from embspace.settings.own import is_own
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml

TEMPLATE = "page.html.jinja"
STYLE = "style.css"
SCRIPTS = ("filter", "save")  # without them all rows are shown, and figures are files
LARGEST = 12_000_000  # bytes of a page
OTHER = 300_000  # of them, for what the template says
READ_BY = {"text_column", "id_column", "document_column", "separator", "skip_empty"}
GIVEN = {"allow_unused", "tokenizer"}  # of a model, by options of the report


@dataclass(frozen=True)
class Progress:
    """The state of the run behind a page, and the analyses left out of the page."""

    said: str = ""
    """A sentence on the run; empty if it has ended well."""
    waiting: list[str] = field(default_factory=list)
    """The analyses still being computed."""
    left_out: Mapping[str, list[str]] = field(default_factory=dict)
    """Analyses missing from the report, by the option for adding them."""
    reload_seconds: int = 0
    """Seconds until the page reloads; 0: never."""


WHOLE = Progress()


def page_of(
    folder: Path,
    model: str,
    *,
    own_texts: bool = False,
    written: Sequence[str] = (),
    explorer: Fragment | None = None,
    nouns: Collection[str] | None = None,
    progress: Progress = WHOLE,
    study: Path | None = None,
) -> str:
    """Return the page of the tree in `folder` with the drawn analyses `nouns` of `model`.

    Without `nouns` the page has the analyses of every model. The page begins with the findings,
    findings on texts first if the texts are `own_texts`. `written` are the model and its corpora as
    commands take them, by default their names. `explorer` stands behind the findings; the page runs
    no scripts except the explorer's and the ledger's. `progress` has the present computation and
    the omissions of the report. `study` is the tree with results of further models, by default
    `folder`. An analysis without anything to show is a line at the end, with the reason.

    Raises:
        InputError: if a figure or a table is missing.
    """
    from jinja2 import Environment, StrictUndefined

    here = files("embspace.app.page")
    template = here.joinpath(TEMPLATE).read_text(encoding="utf-8")
    parts = (here.joinpath(f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    own = '(() => {\n"use strict";\n' + "".join(parts) + "})();\n"
    scripts = [own, *(explorer.scripts if explorer else ())]
    # What is marked `safe` in the template was made here.
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    drawn = drawn_nouns() if nouns is None else nouns
    shares = unknown_shares(folder, model, drawn)
    wanted = [noun for noun in nouns_of_page() if noun in drawn]
    sections = [section_of(folder, noun, model, shares) for noun in wanted]
    sections, without = _with_something(folder, model, sections, shares)
    sections = _fitting(folder, model, sections, explorer.data if explorer else "")
    if own_texts:
        sections = _apart(sections)
    corpora = corpora_of(folder, model)
    no_labels = why_no_labels(folder, model) if LABELS in wanted else []
    findings = _findings(folder, model, study or folder, sections, own_texts=own_texts)
    return environment.from_string(template).render(
        label=label_of(folder, model),
        model=called_in(folder, "model", model),
        on=", ".join(corpus["label"] for corpus in corpora) if own_texts else "",
        command=_question(folder, model, written or [model], corpora[0]["name"]),
        is_decoder=is_decoder(folder, model),
        has_final_norm=has_final_norm(folder, model),
        warnings=warnings_of(folder, model),
        corpora=corpora,
        texts_told=[*texts_told(folder, model, shares), *no_labels],
        fewest_sentences=FEWEST,
        facts=dict(facts_of(folder, model)),
        machine=this_machine(),
        chapters=_by_chapter(sections),
        shown={section.noun for section in sections},
        methods=_methods(folder, [section.noun for section in sections], model),
        headlines=findings[:HEADLINES],
        findings=folded(findings),
        n_folded=len(findings[HEADLINES:]),
        without=without,
        reads_stimuli=any(section.noun in OF_STIMULI for section in sections),
        scale=as_html(scale_of(folder, model, drawn))[1],
        version=version("embspace"),
        explorer=explorer,
        progress=progress,
        style=here.joinpath(STYLE).read_text(encoding="utf-8"),
        scripts=scripts,
        policy=policy_of(scripts),
    )


def _question(folder: Path, model: str, written: Sequence[str], usual: str) -> str:
    """Return a command with a query to a model on the first corpus, or else the usual corpus.

    A model or corpus that the report reads with options is named as the report in `folder` names
    it, since the command takes no such options.
    """
    typed, corpus, *_ = (*written, usual)
    said = _own_keys(folder / CONF / "model" / f"{model}.yaml")
    read = _own_keys(folder / CONF / "corpus" / f"{usual}.yaml")
    is_unread = bool(read) and not (READ_BY.isdisjoint(read) and Path(corpus).suffix)
    if is_unread or not GIVEN.isdisjoint(said):
        typed, corpus = folder.name, usual
    quoted, texts = shlex.quote(typed), shlex.quote(corpus)
    return f'embspace cosine {quoted} "a text" "another" --corpus {texts}'


def _own_keys(file: Path) -> set[str]:
    """Return the keys in the user's own description of a model or texts; none for embspace's."""
    content = read_yaml(file)
    return {*content} if is_own(content) else set()


EMBSPACES = "Stimuli"  # of embspace, or of a study
# What needs the blocks of a model, rebuilt from its weights.
OF_BLOCKS = ("information_stream", "layer_roles", "query_key_form", "token_tracker")


def _findings(
    folder: Path, model: str, study: Path, sections: Sequence[Section], *, own_texts: bool
) -> list[Finding]:
    """Return the findings of a page with these sections, the most wanted first."""
    chapters = {section.noun: section.chapter for section in sections}
    return findings_of(
        sections,
        _labels(folder, model, sections),
        distances_of(folder, model, study),
        _texts(sections) if own_texts else [],
        known_model_findings(folder, model, chapters),
    )


def _labels(folder: Path, model: str, sections: Iterable[Section]) -> list[Finding]:
    """Return what predicts the labels of texts, if a section has it."""
    is_shown = any(section.noun == LABELS for section in sections)
    return label_findings(folder, model, CHAPTERS[LABELS]) if is_shown else []


def _texts(sections: Iterable[Section]) -> list[str]:
    """Return the analyses that read only the texts of a report."""
    chapters = {CHAPTERS["texts"], CHAPTERS["layers"]}
    return [
        section.noun
        for section in sections
        if section.chapter in chapters or section.noun == "sentence_similarity"
    ]


def _with_something(
    folder: Path, model: str, sections: Iterable[Section], shares: list[UnknownShare]
) -> tuple[list[Section], dict[str, list[Section]]]:
    """Return the sections with content, and the empty sections by the reason."""
    shown, without = list[Section](), dict[str, list[Section]]()
    for section in sections:
        place = (folder, model, section.noun, shares)
        is_of_few = section.finding.startswith(TOO_FEW)
        if is_of_few or is_empty(folder, section.noun, model) or reads_nothing(*place):
            reason = why_unread(*place)
            if not reason and section.noun in OF_BLOCKS:
                reason = unknown_blocks(folder, model)
            few = filter(None, (why_few(folder, noun) for noun in sources_of(section.noun, model)))
            reason = reason or next(few, section.finding)
            without.setdefault(reason or "no results", []).append(section)
        else:
            shown.append(section)
    return shown, without


def _apart(sections: Sequence[Section]) -> list[Section]:
    """Return the sections, with a chapter for stimuli before the last one, on publications."""
    stimuli = [replace(one, chapter=EMBSPACES) for one in sections if one.noun in OF_STIMULI]
    others = [section for section in sections if section.noun not in OF_STIMULI]
    n_last = sum(section.noun == "ledger" for section in others)
    return [*others[: len(others) - n_last], *stimuli, *others[len(others) - n_last :]]


def _methods(folder: Path, nouns: list[str], model: str) -> tuple[dict[str, str], str]:
    """Return the sentences of `embspace cite`, by noun, and BibTeX; empty outside of a tree.

    A tree has CITATION.cff, with the citation of embspace.
    """
    if not (folder / CITATION).is_file():
        return {}, ""
    with chdir(folder):
        return methods_of(nouns, model)


def _fitting(folder: Path, model: str, sections: list[Section], data: str) -> list[Section]:
    """Return the sections, the largest figures in fewer colors where all are beyond 12 MB."""
    texts = [
        data,
        *(text for section in sections for text in (section.tables, *section.settings.values())),
    ]
    spare = LARGEST - OTHER - sum(len(text.encode()) for text in texts)
    figures = {section.noun: section.figure for section in sections}
    images = {noun: folder / f"figures/{noun}/{model}.png" for noun in figures}
    figures = fitted(figures, images, spare)
    return [replace(section, figure=figures[section.noun]) for section in sections]


def _by_chapter(sections: Iterable[Section]) -> list[tuple[str, list[Section]]]:
    """Return the sections below the names of their chapters, in the order of the page."""
    return [(name, [*group]) for name, group in groupby(sections, lambda section: section.chapter)]
