"""Holds the figure of a family to its tables, and those of all families to their words."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.clouds.layers import SPACES as KNOWN_SPACES
from embspace.clouds.layers import Change
from embspace.draw.layers.profiles import (
    CHANGES,
    DRAWINGS,
    NULLS,
    RESULTS,
    SPACES,
    STAGES,
    WORDS,
    Shown,
    draw_profiles,
)
from embspace.errors import InputError
from embspace.geometry.inference.null_clouds import NULLS_OF_FAMILY
from embspace.geometry.measures.declaration import FAMILIES, Family
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.random_weights import KINDS
from embspace.settings.stage import checked_settings
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import (
    LAYERS,
    empty_tables,
    profile_tables,
    settings_of,
    squeezed,
    value,
    without_values,
)

SHOWN = ["mean_cosine", "n_outlier_dimensions"]
TABLES = profile_tables([*SHOWN, "top_dimension_share"])
SETTINGS: dict[str, Any] = {"corpus": "articles", "row_height_mm": 38.0, "digits": 3}


def shown(family: Family, measures: list[str]) -> Shown:
    return Shown(**{**dict.fromkeys(FAMILIES, []), family: measures})


def drawn(tables: Any = TABLES, **given: Any) -> tuple[Figure, str]:
    shows = {"shown": shown("direction", SHOWN)}
    return draw_profiles(tables, "a model", "direction", **SETTINGS | shows | given)


@pytest.fixture(scope="module")
def figure() -> Figure:
    return drawn()[0]


def lines(ax: Any, label: str) -> list[float]:
    [line] = [each for each in ax.lines if each.get_label() == label]
    assert list(line.get_xdata()) == list(range(LAYERS))
    return [float(each) for each in line.get_ydata()]


def test_a_row_a_measure_and_a_column_a_space_and_one_of_changes(figure: Figure) -> None:
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == [*SPACES.values(), "changes, articles", *[""] * 4]
    assert [figure.axes[row * 4].get_ylabel() for row in (0, 1)] == [
        "mean cosine",
        "outlier dimensions",
    ]
    assert [ax.get_xlabel() for ax in figure.axes] == [""] * 4 + ["layer"] * 4


def test_lines_are_the_values_with_their_intervals(figure: Figure) -> None:
    for row, measure in enumerate(SHOWN):
        for column, space in enumerate(SPACES):
            ax = figure.axes[row * 4 + column]
            for corpus in ("articles", "posts"):
                expected = [value(corpus, space, "as_is", n, measure) for n in range(LAYERS)]
                assert lines(ax, corpus) == pytest.approx(expected)
            band = ax.collections[-1].get_paths()[0].vertices[:, 1]
            last = [value("posts", space, "as_is", n, measure) for n in (0, LAYERS - 1)]
            assert [band.min(), band.max()] == pytest.approx([last[0] - 0.05, last[1] + 0.05])


def test_nulls_reach_from_the_smallest_to_the_largest_draw(figure: Figure) -> None:
    for ax in (figure.axes[0], figure.axes[5]):
        assert lines(ax, "isotropic Gaussian") == [-1.0] * LAYERS
        assert lines(ax, "random initialization") == [-1.0] * LAYERS
        band = ax.collections[0].get_paths()[0].vertices[:, 1]
        assert [band.min(), band.max()] == [-1.5, -0.5]


def test_nulls_are_of_one_corpus_and_of_another_only_by_its_name() -> None:
    nulls = TABLES["nulls"]
    nulls = nulls.assign(null_mean=np.where(nulls["corpus"] == "posts", -2.0, -1.0))
    of_posts = (nulls["null"] == "random_initialization") & (nulls["corpus"] == "articles")
    ax = drawn({**TABLES, "nulls": nulls[~of_posts]})[0].axes[0]
    assert lines(ax, "isotropic Gaussian") == [-1.0] * LAYERS
    assert lines(ax, "random initialization, posts") == [-2.0] * LAYERS
    assert "random initialization" not in [line.get_label() for line in ax.lines]
    gap = nulls.assign(null_mean=nulls["null_mean"].where(nulls["layer"] != 1))
    found = lines(drawn({**TABLES, "nulls": gap})[0].axes[0], "isotropic Gaussian")
    assert np.isnan(found).tolist() == [False, True, False]


def test_changes_are_of_the_tokens_of_one_corpus(figure: Figure) -> None:
    for row, measure in enumerate(SHOWN):
        ax = figure.axes[row * 4 + 3]
        assert len(ax.lines) == 3
        for change in ("as_is", "ordinary_tokens", "standardized"):
            expected = [value("articles", "token", change, n, measure) for n in range(LAYERS)]
            assert lines(ax, CHANGES[change]) == pytest.approx(expected)
    other = drawn(corpus="posts")[0]
    assert other.axes[3].get_title() == "changes, posts"
    assert lines(other.axes[3], "as they are")[0] != lines(figure.axes[3], "as they are")[0]
    first = drawn(corpus="essays")[0]  # which was not profiled
    assert first.axes[3].get_title() == "changes, articles"
    assert lines(first.axes[3], "as they are") == lines(figure.axes[3], "as they are")
    said = [text.get_text() for text in first.texts]
    assert any("gray: nulls of articles" in each for each in said)


def test_an_interval_leaves_the_axis_where_it_would_flatten_the_values() -> None:
    wide = TABLES["profiles"]
    before = drawn()[0].axes[0]
    assert not before.texts
    is_first = (wide["layer"] == 0) & (wide["space"] == "token") & (wide["corpus"] == "posts")
    given = {"low": -4000.0, "high": 4000.0, "n": 12}
    table = wide.assign(**{key: wide[key].where(~is_first, new) for key, new in given.items()})
    ax = drawn({**TABLES, "profiles": table})[0].axes[0]
    band = ax.collections[-1].get_paths()[0].vertices[:, 1]
    assert [band.min(), band.max()] == [-4000, 4000]
    low, high = ax.get_ylim()
    shown = [*lines(ax, "articles"), *lines(ax, "posts"), -1.5, -0.5]  # with the band of the nulls
    assert low < min(shown) < max(shown) < high
    assert high - low < 3 * (max(shown) - min(shown))
    assert [text.get_text() for text in ax.texts] == ["intervals leave the axis\n(from 12 vectors)"]


def test_a_panel_without_values_says_so_and_has_no_scale() -> None:
    tables = without_values(TABLES, "mean_cosine")
    for ax in drawn(tables)[0].axes[:4]:
        assert [text.get_text() for text in ax.texts] == ["no value"]
        assert not any(each.get_visible() for each in ax.get_yticklabels())
    for ax in drawn(tables)[0].axes[4:]:
        assert not ax.texts


def test_each_line_is_named_once(figure: Figure) -> None:
    assert_words_fit(figure)
    [legend] = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert sorted(names) == sorted(
        [
            *("articles", "posts", "isotropic Gaussian", "random initialization"),
            *("as they are", "without special tokens, position 0", "standardized"),
        ]
    )


def test_all_that_may_come_has_a_name_and_a_look() -> None:
    from typing import get_args

    assert set(SPACES) == set(KNOWN_SPACES)
    assert set(CHANGES) == set(get_args(Change))
    of_families = {null for names in NULLS_OF_FAMILY.values() for null in names}
    assert set(NULLS) == of_families | {"exchanged_between_texts", *KINDS}
    assert len({style for _, style in NULLS.values()}) > 3


def test_spaces_without_rows_have_no_column() -> None:
    figure, text = drawn(profile_tables(SHOWN, spaces=["token"]))
    assert [ax.get_title() for ax in figure.axes[:2]] == ["tokens", "changes, articles"]
    assert "first token" not in text


def test_the_text_has_every_table() -> None:
    text = squeezed(drawn()[1])
    assert text.startswith("# Direction of a model\n")
    assert "Stage `measure_profiles`" in text
    for corpus in ("articles", "posts"):
        for space in SPACES.values():
            assert f"## {corpus}, {space}" in text
    assert "1,234 vectors of 56 texts." in text
    assert "| measure | layer 0 | layer 1 | layer 2 |" in text
    # All measures, not only those that are drawn.
    assert "| top dimension share |" in text
    not_converged = text.partition("## Not converged")[2].partition("\n## ")[0]
    assert "| mean cosine | 1 | 3 |" in not_converged
    assert "n outlier dimensions" not in not_converged
    curves = text.partition("## Tokens of the last layer")[2]
    assert curves.count("| mean cosine |") == 2 * 2


def test_the_text_counts_the_vectors_of_layers_that_have_them() -> None:
    profiles = TABLES["profiles"].copy()
    profiles.loc[profiles["layer"] == 0, "n"] = 1  # all first tokens are one vector there
    text = drawn({**TABLES, "profiles": profiles})[1]
    assert "1,234 vectors of 56 texts." in text
    assert "\n1 vectors" not in text


def test_a_measure_that_is_defined_nowhere_has_no_line() -> None:
    figure, text = drawn(without_values(TABLES, "n_outlier_dimensions"))
    assert_words_fit(figure)
    assert len(figure.axes[0].lines) == 4
    assert all(not ax.lines for ax in figure.axes[4:])
    assert "| mean cosine |" in squeezed(text)


def test_a_gap_is_a_gap() -> None:
    table = TABLES["profiles"]
    gap = table.assign(value=np.where(table["layer"] == 1, np.nan, table["value"]))
    figure, text = drawn({**TABLES, "profiles": gap})
    found = lines(figure.axes[0], "posts")
    assert np.isnan(found).tolist() == [False, True, False]
    assert "## posts, tokens" in text


def test_a_model_without_large_corpora_says_so() -> None:
    figure, text = drawn(empty_tables())
    words = [each.get_text() for ax in figure.axes for each in ax.texts]
    assert words == ["a model: no corpus has enough documents"]
    assert text.startswith("# Direction of a model\n")


def names_of(family: Family) -> list[str]:
    return [name for name, each in profiled_measures().items() if each.family == family]


def project_settings(root: Path, **given: Any) -> dict[str, Any]:
    return checked_settings(
        draw_profiles, settings_of(root, "profiles") | given, {}, "profiles.yaml"
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_the_settings_of_the_project_are_drawn(family: Family, root: Path) -> None:
    settings = project_settings(root)
    spaces = ["token"] if family == "context" else [*SPACES]
    tables = profile_tables(names_of(family), spaces=spaces)
    drawing, label = DRAWINGS[family], "a model of a long name"
    assert {f"{name}.csv" for name in tables} == set(drawing.results) == set(RESULTS)
    figure, text = drawing.draw(tables, label, *drawing.given, **settings)
    assert_words_fit(figure)
    said = "\n".join(each.get_text() for each in figure.texts)
    assert WORDS[family].title in said and label in said
    measures, n_columns = getattr(settings["shown"], family), len(spaces) + 1
    assert len(figure.axes) == n_columns * len(measures)
    units = WORDS[family].units
    labels = [ax.get_ylabel() for ax in figure.axes[::n_columns]]
    assert labels == [units.get(name, name.replace("_", " ")) for name in measures]
    heading = family.replace("_", " ").capitalize()
    stage = STAGES.get(family, "measure_profiles")
    assert text.startswith(f"# {heading} of {label}\n\nStage `{stage}`.")
    assert figure.get_supxlabel() == stage
    assert all(f"| {name.replace('_', ' ')} |" in squeezed(text) for name in names_of(family))


def test_every_family_has_its_own_words() -> None:
    assert set(DRAWINGS) == set(WORDS) == set(Shown.model_fields) == set(FAMILIES)
    assert len({words.title for words in WORDS.values()}) == len(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_shown_and_what_has_another_name_are_measures_of_the_family(
    family: Family, root: Path
) -> None:
    names = set(names_of(family))
    assert set(settings_of(root, "profiles")["shown"][family]) <= names
    assert set(WORDS[family].units) <= names


@pytest.mark.parametrize("name", [name for family in FAMILIES for name in names_of(family)])
def test_any_measure_may_be_shown(name: str) -> None:
    family = profiled_measures()[name].family
    tables = profile_tables([name], spaces=["token"])
    figure, _ = draw_profiles(tables, "a model", family, shown=shown(family, [name]), **SETTINGS)
    assert len(figure.axes) == 2 and len(figure.axes[0].lines) == 4


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_to_show_is_said(family: Family, root: Path) -> None:
    figure, _ = draw_profiles(empty_tables(), "a model", family, **project_settings(root))
    assert "no corpus has enough documents" in figure.axes[0].texts[0].get_text()


def test_a_misspelled_family_is_named_with_those_there_are(root: Path) -> None:
    asked = {**settings_of(root, "profiles")["shown"], "spectra": []}
    message = r"profiles.yaml: key 'shown.spectra' is unknown; allowed: context, direction, "
    with pytest.raises(InputError, match=message):
        project_settings(root, shown=asked)


def test_what_the_final_norm_makes_stands_in_the_tables_alone() -> None:
    after = {
        name: table[table["layer"] == table["layer"].max()].assign(
            space="final_norm_" + table["space"]
        )
        for name, table in TABLES.items()
    }
    both = {name: pd.concat([table, after[name]]) for name, table in TABLES.items()}
    (figure, text), (without, plain) = drawn(both), drawn()
    assert len(figure.axes) == len(without.axes)
    assert "articles, tokens, after the final norm" in text
    assert "after the final norm" not in plain
    of_last = text[text.index("articles, tokens, after the final norm") :]
    assert f"layer {LAYERS - 1}" in of_last and "layer 0" not in of_last[: of_last.index("#")]
