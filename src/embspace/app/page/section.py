"""A section of a page: the figure, tables, settings and finding of an analysis."""

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from embspace.app.page.html import as_html
from embspace.app.page.ledger import decided_tables, own_finding, reader_of
from embspace.app.page.nothing import stimuli_read
from embspace.app.page.nouns import nouns_of_page
from embspace.app.page.pictures import shape_of, shorter_uri, subtitle_in, title_in
from embspace.app.page.questions import Question, questions, stage_apart
from embspace.app.page.texts_read import UnknownShare
from embspace.app.reporting.about import corpora_by_file
from embspace.draw.page.markdown import pointer_apart
from embspace.errors import InputError
from embspace.settings.params import CONF, PARAMS
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

VERBS = ("measure", "project", "draw")
DOWNLOADS = (".svg", ".pdf", ".tex")  # of what is drawn
# A whole number of things, in a subtitle.
COUNTED = re.compile(r"(?<![\d.])\d(?:[\d,]*\d)? [a-z]|\bn = \d")
CLAIMS = "what papers say of their models, asked of this one"
# Analyses without a file of texts of their own, and the one whose results they show.
SHOWN_OF = {"head_map": "head_features", "attention_patterns": "head_features"}
SHOWN_OF |= {"tasks": "text_classification"}
# What the contents call the chapters, of which some have one section.
CHAPTERS = {
    "learned": "Learned vectors",
    "positional": "Positions",
    "words": "Words",
    "sentences": "Sentences",
    "texts": "Texts",
    "practice": "In practice",
    "attention": "Attention",
    "layers": "Layers",
    "layer_choice": "Layers",
    "label_overlap": "Layers",
    "blocks": "Inside the blocks",
    "parameters": "Parameters",
    "open_questions": "Open questions",
    "ledger": "Publications",
}


@dataclass(frozen=True)
class Section:
    """One analysis on the page. `figure` is a data URI, `tables` and `title` are HTML.

    Without a figure of its own, `drawn_in` is the analysis whose figure has its numbers.
    """

    noun: str
    chapter: str
    title: str
    name: str  # the title without the model, which all of them name
    figure: str
    shape: tuple[int, int]  # width and height of the figure, for their ratio
    tables: str
    settings: dict[str, str]  # the text of each settings file, by its path
    downloads: list[str]  # relative to the page
    finding: str  # the title of the figure, a sentence; empty if it has none
    population: str  # what the finding is of, with n
    texts: str  # files of texts or words that it reads, whatever the corpora are; empty if none
    is_of_corpora: bool  # whether it reads the corpora, too
    question: Question
    stage: str
    drawn_in: str


def section_of(
    folder: Path, noun: str, model: str, shares: list[UnknownShare] | None = None
) -> Section:
    """Return figure, tables and settings of an analysis.

    `shares` are the `unknown_shares`, if known already.
    """
    reader = reader_of(folder, model, shares) if noun == "ledger" else None
    chapter = nouns_of_page()[noun]
    drawn = f"data/drawn/{chapter}/{model}/{noun}"
    try:
        text = (
            decided_tables(folder, model, reader)
            if noun == "ledger"  # most of its rows are about other models
            else (folder / f"figures/{noun}/{model}.md").read_text(encoding="utf-8")
        )
        text, finding, drawn_in = pointer_apart(text)
        picture = b"" if drawn_in else (folder / f"{drawn}.svg").read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{error.filename}: not found; `dvc repro` makes it") from None
    title, tables = as_html(text)
    shown, stage = stage_apart(tables)
    drawing = picture.decode("utf-8")
    label = label_of(folder, model)
    finding = finding or title_in(drawing)
    population = population_in(subtitle_in(drawing).removeprefix(label))
    if finding and noun == "ledger":
        finding, population = own_finding(folder, model, reader), CLAIMS
    settings = (settings_path(verb, noun, folder) for verb in VERBS)
    stimuli, is_of_corpora = stimuli_read(folder, noun, model)
    setting_files = [file.relative_to(folder) for file in settings if file.is_file()]
    results = sorted((folder / "results" / noun).rglob(f"{model}.*"))
    results = [file for file in results if file.stem == model]
    return Section(
        noun=noun,
        chapter=CHAPTERS[chapter],
        title=title,
        name=_without_model(title, label),
        # An image, not part of the page: the names in one figure are those in the next.
        figure="" if drawn_in else shorter_uri(picture, folder / f"figures/{noun}/{model}.png"),
        shape=shape_of(picture),
        tables=shown,
        stage=stage,
        drawn_in=drawn_in,
        question=questions()[noun],
        finding=finding,
        population=population,
        texts=_own_file(folder, noun) or ", ".join(stimuli),
        is_of_corpora=is_of_corpora,
        settings={str(file): (folder / file).read_text(encoding="utf-8") for file in setting_files},
        downloads=[
            *(f"{drawn}{suffix}" for suffix in (DOWNLOADS[-1:] if drawn_in else DOWNLOADS)),
            *(file.relative_to(folder).as_posix() for file in results),
        ],
    )


def population_in(subtitle: str) -> str:
    """Return the parts of a figure's subtitle with counts, as "30 texts" or "n = 4".

    The remaining parts explain panels and bands, and stand at the figure alone.
    """
    parts = (part.strip(" ,") for part in subtitle.split(" · "))
    return " · ".join(part for part in parts if COUNTED.search(part))


def _own_file(folder: Path, noun: str) -> str:
    """Return the file of texts in an analysis's settings; "" for none, or the only corpus."""
    settings = settings_path("measure", SHOWN_OF.get(noun, noun), folder)
    file = str(read_yaml(settings).get("texts", "")) if settings.is_file() else ""
    corpora = read_yaml(folder / PARAMS)["corpora"]
    return "" if len(corpora) == 1 and file in corpora_by_file(folder, corpora) else file


def label_of(folder: Path, model: str) -> str:
    """Return the name of a model for readers."""
    label: str = read_yaml(folder / CONF / "model" / f"{model}.yaml")["label"]
    return label


def _without_model(title: str, label: str) -> str:
    """Return a title, in HTML, without the name of the model and the words before the name."""
    leading = "(?:,? (?:of|in|on|by|through)|,)"
    return re.sub(rf"{leading} {re.escape(escape(label))}(?!\w)", "", title)
