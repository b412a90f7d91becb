"""Draws profiles of encoders and decoders."""

from pathlib import Path

import pandas as pd
from matplotlib import rc_context
from matplotlib.colors import same_color

from embspace.draw.layers.encoders_decoders import draw_encoders_decoders
from embspace.draw.page.canvas import use_style
from embspace.measure.layers.encoders_decoders import CLAIM_COLUMNS, COLUMNS
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import settings_of, squeezed

SETTINGS = {"row_height_mm": 60.0, "digits": 3}
NAMES = {"own": "encoder", "an_encoder": "encoder", "a_decoder": "decoder"}

CLAIMS = pd.DataFrame([["flat over layers", "encoder"]], columns=CLAIM_COLUMNS[:2])
CLAIMS = CLAIMS.reindex(columns=CLAIM_COLUMNS)


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
    found = pd.DataFrame(rows).reindex(columns=COLUMNS)
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
    assert [ax.get_title() for ax in figure.axes] == ["encoders", "decoders", "", ""]
    encoders, decoders = figure.axes[:2]
    # Each line has its layer 0 drawn over it.
    assert list(encoders.lines[0].get_ydata()) == [1, 2, 3, 4, 5]
    assert list(encoders.lines[1].get_ydata()) == [1]
    assert [len(ax.lines) for ax in (encoders, decoders)] == [2 * 3, 2 * 2]
    named = [[each.get_text() for each in ax.get_legend().get_texts()] for ax in figure.axes]
    assert named == [["My Model", "an encoder"], ["a decoder"]] * 2
    assert same_color(encoders.lines[0].get_color(), "black")
    assert text.startswith("# My Model among encoders and decoders")
    assert "## TwoNN dimension" in text
    lines = squeezed(text).splitlines()
    assert "| encoder | own | | 1.000 | 2.000 | 3.000 | 4.000 | 5.000 |" in lines
    assert "| decoder | a decoder | 1 | 2.000 | 3.000 | 4.000 | 5.000 | 6.000 |" in lines


def test_models_and_runs_are_told_apart_and_runs_of_a_subject_look_alike() -> None:
    names = {"own": "encoder", "other": "encoder", "big": "decoder"}
    runs = {f"{subject}_{kind}": kind for kind in ("encoder", "decoder") for subject in "ab"}
    rows = [
        {"name": name, "label": f"{name}!", "kind": kind, "measure": "two_nn", "layer": layer}
        | {"depth": layer, "value": 1.0 + layer, "corpus": "articles" if name in names else ""}
        for name, kind in {**names, **runs}.items()
        for layer in range(2)
    ]
    found = pd.DataFrame(rows).reindex(columns=COLUMNS)
    figure, text = draw_encoders_decoders({"csv": found, "claims": CLAIMS}, "Own", **SETTINGS)
    looks = {
        line.get_label(): (line.get_color(), line.get_marker())
        for ax in figure.axes
        for line in ax.lines
        if not str(line.get_label()).startswith("_")
    }
    assert list(looks) == ["Own", "other!", "a_encoder!", "b_encoder!"] + [
        "big!",
        "a_decoder!",
        "b_decoder!",
    ]
    assert looks["a_encoder!"] == looks["a_decoder!"] and looks["b_encoder!"] == looks["b_decoder!"]
    assert len(set(looks.values())) == 5
    markers = {marker for name, (_, marker) in looks.items() if "_" in str(name)}
    assert not markers & {looks[name][1] for name in ("Own", "other!", "big!")}
    assert "big!" in text


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
    assert "no decoder under profiled or trained" in figure.axes[1].texts[0].get_text()


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
