"""Chooses the findings of a page: labels of the user's texts first, then what is unusual."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from embspace.app.page.nothing import says_nothing
from embspace.app.page.unusual import Distance

HEADLINES, MOST = 5, 13
MARKS = re.compile(r" \(([a-f](–[a-f])?|dots|dashed|rings)\)")  # of a figure, not of a list
LABELS = "layer_choice"
APART = "two_corpora"  # the question of who gives two
# Facts of the config, and figures that say again what another one says.
NEVER = ("architecture", "vocabulary", "pca", "tsne", "umap", "label_overlap")
SAID_AGAIN = {"sentence_similarity": "text_clouds"}  # and by which other, where both are there
# What owners of a model ask for first, where nothing says how unusual its numbers are.
USUAL = (
    *("direction", "intrinsic_dimension", "synonyms", "search", "helix", "head_features"),
    *("information_stream", "homonyms", "sentence_similarity", "spectrum", "text_clouds"),
)


class Finding(NamedTuple):
    """A sentence on a page, with its analysis, chapter and population."""

    noun: str
    chapter: str
    sentence: str
    population: str = ""
    beside: str = ""
    """The distance of the numbers from another model's, in words; empty if unknown."""


class Titled(Protocol):
    """The parts of a section of which findings are made."""

    @property
    def noun(self) -> str:
        """The analysis."""

    @property
    def chapter(self) -> str:
        """The name of its chapter on the page."""

    @property
    def finding(self) -> str:
        """The title of its figure."""

    @property
    def population(self) -> str:
        """The model, counts and protocol: the subtitle of its figure."""


def findings_of(
    sections: Iterable[Titled],
    labels: Sequence[Finding],
    distances: Mapping[str, Distance],
    texts: Collection[str],
    known: Sequence[Finding] = (),
) -> list[Finding]:
    """Return the findings, the most wanted first, at most 13.

    First come findings on `labels` of texts; then those beside `known` models, which replace the
    titles of their analyses; then findings of the nouns `texts`, on the user's own texts, with the
    finding on two corpora first; then findings with numbers far from another model's;
    last, what owners of models usually ask.
    """
    beside_known = {finding.noun for finding in known}
    sections = [*sections]
    nouns = {section.noun for section in sections if not says_nothing(section.finding)}
    said = [
        Finding(section.noun, section.chapter, without_marks(section.finding), section.population)
        for section in sections
        if section.noun not in NEVER
        and SAID_AGAIN.get(section.noun) not in nouns
        and not (section.noun == LABELS and labels)
        and section.noun not in beside_known
        and not says_nothing(section.finding)
        and "n = 0" not in section.population
    ]
    with_distances = [
        finding._replace(beside=distances[finding.noun].sentence)
        if finding.noun in distances
        else finding
        for finding in said
    ]

    def wanted(finding: Finding) -> tuple[bool, bool, float, int]:
        distance = distances.get(finding.noun)
        place = USUAL.index(finding.noun) if finding.noun in USUAL else len(USUAL)
        is_on_texts = finding.noun in texts
        is_first = is_on_texts and finding.noun == APART
        return not is_first, not is_on_texts, -distance.share if distance else 0.0, place

    return [*labels, *known, *_spread(sorted(with_distances, key=wanted))][:MOST]


def without_marks(title: str) -> str:
    """Return the title of a figure without the letters of panels and the names of marks."""
    return MARKS.sub("", title)


def _spread(findings: list[Finding]) -> list[Finding]:
    """Return the findings ordered to give every chapter a headline before any gets a second.

    The order within a chapter stays.
    """
    turns: dict[str, int] = {}
    rounds = []
    for finding in findings:
        turns[finding.chapter] = turns.get(finding.chapter, -1) + 1
        rounds.append((turns[finding.chapter], finding))
    return [finding for _, finding in sorted(rounds, key=lambda pair: pair[0])]


def folded(findings: Sequence[Finding]) -> list[tuple[str, list[Finding]]]:
    """Return the findings behind the headlines, by chapter."""
    chapters = dict.fromkeys(finding.chapter for finding in findings[HEADLINES:])
    return [
        (chapter, [finding for finding in findings[HEADLINES:] if finding.chapter == chapter])
        for chapter in chapters
    ]
