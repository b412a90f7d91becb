"""Draws profiles of encoders and decoders."""

from pathlib import Path

import pandas as pd
import pytest
from matplotlib import rc_context
from matplotlib.colors import same_color

from embspace.draw.layers.encoders_decoders import draw_encoders_decoders
from embspace.draw.page.canvas import use_style
from embspace.measure.layers.encoders_decoders import ENCODERS_DECODERS
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import settings_of, squeezed

SETTINGS = {"row_height_mm": 60.0, "digits": 3}
NAMES = {"own": "encoder", "an_encoder": "encoder", "a_decoder": "decoder"}

TABLES = ENCODERS_DECODERS.tables
CLAIMS = TABLES["claims"].of([{"claim": "flat over layers", "claimed_of": "encoder"}])


def table() -> pd.DataFrame:
    rows = [
        {"name": name, "label": name.replace("_", " "), "kind": kind, "seed": seed}
        | {"measure": measure, "layer": layer, "corpus": "articles" if name == "own" else ""}
        | {"depth": layer / 4, "value": 1.0 + layer + (seed or 0), "n": 9}
        for name, kind in NAMES.items()
        for seed in ((None,) if name == "own" else (0, 1))
        for measure in ("top_variance_share", "two_nn")
        for layer in range(5)
    ]
    found = TABLES["csv"].of(rows)
    is_own = found["name"] == "own"
    low = (found["value"] - 0.5).where(is_own)
    return found.assign(low=low, high=(found["value"] + 0.5).where(is_own))


def test_each_kind_has_its_column_and_each_seed_its_line() -> None:
    with rc_context():
        use_style()
        figure, text = draw_encoders_decoders(
            {"csv": table(), "claims": CLAIMS}, "My Model", **SETTINGS
        )
        assert_words_fit(figure)
    titles = [ax.get_title("left") or ax.get_title() for ax in figure.axes]
    assert titles == ["Encoders", "Decoders", "", ""]
    encoders, decoders = figure.axes[:2]
    # Each mean has its layer 0 drawn over it, and its seeds beside it.
    assert list(encoders.lines[0].get_ydata()) == [1, 2, 3, 4, 5]
    assert list(encoders.lines[1].get_ydata()) == [1]
    assert list(encoders.lines[2].get_ydata()) == [1.5, 2.5, 3.5, 4.5, 5.5]
    assert [len(ax.lines) for ax in (encoders, decoders)] == [2 + 4, 4]
    named = [[" ".join(each.get_text().split()) for each in ax.texts] for ax in figure.axes]
    assert named == [["My Model", "an encoder"], ["a decoder"]] * 2
    assert same_color(encoders.lines[0].get_color(), "black")
    said = " ".join(" ".join(each.get_text() for each in figure.texts).split())
    assert "My Model (9 tokens) beside 2 others" in said
    assert text.startswith("# My Model among encoders and decoders")
    assert "## TwoNN dimension" in text
    lines = squeezed(text).splitlines()
    assert "| encoder | own | | 1 | 2 | 3 | 4 | 5 |" in lines
    assert "| decoder | a decoder | 1 | 2 | 3 | 4 | 5 | 6 |" in lines


def test_layers_that_only_some_models_have_stand_in_their_place() -> None:
    found = table()
    found["layer"] = found["layer"].where(found["name"] != "own", 3 * found["layer"])
    _, text = draw_encoders_decoders({"csv": found, "claims": CLAIMS}, "My Model", **SETTINGS)
    heads = [line for line in squeezed(text).splitlines() if line.startswith("| kind | name |")]
    layers = " | ".join(f"layer {each}" for each in (0, 1, 2, 3, 4, 6, 9, 12))
    assert heads == [f"| kind | name | seed | {layers} |"] * 2


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("matches", "is"),
        ("differs", "is not"),
        ("undecided", "may or may not be"),
        ("depends on the rule", "is, by some tokens alone,"),
    ],
)
def test_the_title_has_the_verdicts(verdict: str, said: str) -> None:
    claims = CLAIMS.assign(verdict=verdict)
    figure, _ = draw_encoders_decoders({"csv": table(), "claims": claims}, "My Model", **SETTINGS)
    title = " ".join(figure.get_suptitle().split())
    claim = f"My Model {said} flat over layers (claimed of encoders)"
    assert title == f"The top variance share of {claim}"
    none = draw_encoders_decoders({"csv": table(), "claims": CLAIMS[:0]}, "My Model", **SETTINGS)
    assert none[0].get_suptitle().startswith("No published claim can be held to My Model")


def test_both_kinds_share_their_scale() -> None:
    high = table()
    high.loc[high["kind"] == "decoder", "value"] *= 9
    figure, _ = draw_encoders_decoders({"csv": high, "claims": CLAIMS}, "My Model", **SETTINGS)
    for pair in (figure.axes[:2], figure.axes[2:]):
        assert pair[0].get_ylim() == pair[1].get_ylim()
    assert [ax.get_yscale() for ax in figure.axes] == ["linear", "linear", "log", "log"]


def test_a_model_alone_is_drawn() -> None:
    alone = table().query("name == 'own'")
    figure, _ = draw_encoders_decoders({"csv": alone, "claims": CLAIMS}, "My Model", **SETTINGS)
    assert figure.axes[0].lines and not figure.axes[1].lines
    assert "no decoder is profiled or trained" in figure.axes[1].texts[0].get_text()


def test_with_nothing_to_show_it_says_so() -> None:
    figure, text = draw_encoders_decoders(
        {"csv": table()[:0], "claims": CLAIMS}, "My Model", **SETTINGS
    )
    assert "My Model" in figure.axes[0].texts[0].get_text()
    assert "None." in text


def test_the_settings_of_the_project_are_drawn(root: Path) -> None:
    settings = settings_of(root, "encoders_decoders")
    figure, _ = draw_encoders_decoders({"csv": table(), "claims": CLAIMS}, "My Model", **settings)
    assert_words_fit(figure)
