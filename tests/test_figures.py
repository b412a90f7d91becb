"""Every figure that can be drawn from the committed results, against the rules for all of them."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from embspace.app.paper import _drawn, known_figures
from embspace.draw.page.canvas import HIGHEST_MM, INCH_MM, SUBTITLE, WIDTH_MM, panels_of
from embspace.draw.page.saving import ALL_RUNS, result_path
from embspace.settings.schema import read_yaml
from tests.draw import rules

pytestmark = pytest.mark.slow  # all figures are drawn

ROOT = Path(__file__).parents[1]
SMALLEST_TYPE = 7.0  # points, at the width of a page
NAMES = ("minilm", "toy", "minilm--minilm_random", ALL_RUNS)
IN_GIT = ("csv", "json", "yaml")
# A drawing is unchecked here if it reads arrays, which data/ has and git has not, or tables of
# checkpoints that others trained, or of a model beside its fine-tuned copy.
UNCHECKED = {
    *("attention_patterns", "hopf_link", "layer_maps", "norm_and_mean_cosine", "positions"),
    *("projections", "similarity", "sinusoidal_positions", "text_islands", "text_maps"),
    "vocabulary_clusters",
    *("pretraining_dynamics", "pretraining_head_dynamics", "model_changes"),
}
TOKEN = re.compile(r"`[^`\n]*`")  # in a table, of a vocabulary
IDENTIFIER = re.compile(r"\b[a-z]+_[a-z_]+\b")


def name_in_git(noun: str, results: tuple[str, ...]) -> str | None:
    """Return a name whose results of a noun are all in git, if there is one."""
    if any(file.rpartition(".")[2] not in IN_GIT for file in results):
        return None
    for name in NAMES:  # that of all runs has a * in the place of each
        if all([*ROOT.glob(result_path(noun, name, file))] for file in results):
            return name
    return None


FOUND = {
    noun: name_in_git(noun, drawing.results)
    for noun, (_, drawing) in known_figures().items()
    if not drawing.drawn_in
}


@pytest.fixture(params=[noun for noun, name in FOUND.items() if name])
def figure(request: pytest.FixtureRequest, root: Path, monkeypatch: pytest.MonkeyPatch) -> Figure:
    monkeypatch.chdir(root)
    return draw(request.param)


@cache
def draw(noun: str) -> Figure:
    figure, _ = _drawn(noun, str(FOUND[noun]), known_figures()[noun][1], WIDTH_MM)
    figure.draw_without_rendering()
    return figure


def test_only_the_listed_figures_stay_unchecked():
    assert {noun for noun, name in FOUND.items() if not name} == UNCHECKED


def words_of(figure: Figure) -> list[Text]:
    return [
        text
        for text in figure.findobj(Text)
        if isinstance(text, Text) and text.get_text().strip() and text.get_visible()
    ]


def test_a_page_holds_it(figure: Figure):
    width, height = (side * INCH_MM for side in figure.get_size_inches())
    assert round(width) == WIDTH_MM
    assert height <= HIGHEST_MM


def test_its_type_can_be_read(figure: Figure):
    small = {text.get_text() for text in words_of(figure) if text.get_fontsize() < SMALLEST_TYPE}
    assert not small


def test_its_title_is_a_finding(figure: Figure):
    title = " ".join(figure.get_suptitle().split())
    assert len(title.split()) >= 4
    assert not title.endswith("?")


def test_its_subtitle_says_of_how_many(figure: Figure):
    [subtitle] = [text for text in figure.texts if text.get_gid() == SUBTITLE]
    assert re.search(r"\d", subtitle.get_text())


def test_its_words_are_no_identifiers(figure: Figure):
    words = {text.get_text() for text in words_of(figure) if IDENTIFIER.search(text.get_text())}
    assert not {line for line in words if not line.startswith(("measure_", "project_", "compare_"))}


def unused_words(root: Path) -> re.Pattern[str]:
    """Return what the glossary lists under words that are not used."""
    text = (root / "docs/glossary.md").read_text(encoding="utf-8")
    table = text.partition("## Words that we do not use")[2].partition("\n## ")[0]
    rows = re.findall(r"(?m)^\| ([^|]+) \|", table)[1:]  # below the heading
    words = [re.escape(word) for row in rows for word in row.split(", ")]
    assert len(words) > 20
    return re.compile(rf"\b({'|'.join(words)})s?\b", re.IGNORECASE)


def test_its_words_are_those_of_the_glossary(figure: Figure, root: Path):
    unused = unused_words(root)
    assert not {text.get_text() for text in words_of(figure) if unused.search(text.get_text())}


def test_tables_have_the_words_of_the_glossary(root: Path):
    unused = unused_words(root)
    unlike = {
        f"{path.relative_to(root)}: {match[0]}"
        for path in (root / "figures").rglob("*.md")
        for match in unused.finditer(TOKEN.sub("", path.read_text(encoding="utf-8")))
    }
    assert not unlike


def test_no_panel_is_empty(figure: Figure):
    for panel in panels_of(figure):
        assert panel.has_data() or panel.get_legend() or panel.texts


NOT_YET = read_yaml(ROOT / "tests/draw/rules_not_yet.yaml")
OF_FIGURES = (
    rules.long_title,
    rules.numbers_nowhere,
    rules.many_panels,
    rules.looks_of_two,
    rules.panels_without_heading,
)


@pytest.mark.parametrize("rule", OF_FIGURES)
def test_all_figures_but_the_listed_ones_keep_a_rule(
    rule: Callable[[Figure], str], root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    said = {noun: rule(draw(noun)) for noun, name in FOUND.items() if name}
    assert {noun for noun, words in said.items() if words} == {*NOT_YET[rule.__name__]}, said


def test_all_tables_but_the_listed_ones_are_short_and_narrow(root: Path):
    said = {
        page: rules.wide_tables(page.read_text(encoding="utf-8"))
        for page in (root / "figures").rglob("*.md")
    }
    nouns = {page.parent.name for page, words in said.items() if words}
    assert nouns == {*NOT_YET["wide_tables"]}, said
