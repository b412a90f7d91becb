from typing import Any

import pandas as pd
import pytest

from embspace.draw.learned.architecture import _layer_phrase, draw_architecture
from embspace.draw.page.canvas import stage_of
from embspace.draw.page.saving import Results
from embspace.files.scalars import load_scalars, save_scalars
from embspace.files.tables import load_table, save_table
from embspace.measure.learned.architecture import ARCHITECTURE, measure_architecture
from embspace.models.architecture import config_of
from embspace.settings.schema import read_yaml
from tests.analyses import as_drawn, settings_of
from tests.conftest import ROOT
from tests.draw.fits import assert_words_fit

SETTINGS = settings_of(draw_architecture, digits=2)
BERT = {"model_type": "bert", "hidden_size": 24, "intermediate_size": 48, "num_hidden_layers": 2}


def results(tmp_path: Any, references: dict[str, dict[str, Any]]) -> Results:
    """As the stage leaves them in files."""
    names = read_yaml(ROOT / "conf/measure/learned/architecture.yaml")["names"]
    config = config_of(BERT, "y")
    architecture = measure_architecture("mine", config, references=references, names=names)
    save_table(architecture["csv"], str(tmp_path / "a.csv"))
    save_scalars(architecture["json"], str(tmp_path / "a.json"))
    loaded = {
        "csv": load_table(str(tmp_path / "a.csv")),
        "json": load_scalars(str(tmp_path / "a.json")),
    }
    return as_drawn(ARCHITECTURE, loaded)


@pytest.mark.parametrize(
    "references",
    [
        {},
        {"other": {"model_type": "bert"}},
        {"gpt": {"model_type": "gpt2"}, "t5": {"model_type": "t5"}},
    ],
)
def test_each_component_has_a_bar_an_architecture(
    tmp_path: Any, references: dict[str, dict[str, Any]]
):
    loaded = results(tmp_path, references)
    figure, _ = draw_architecture(loaded, "a model of a long name", **SETTINGS)
    assert_words_fit(figure)
    assert stage_of(figure) == "measure_architecture"
    whole, layer = figure.axes
    assert len(whole.containers) == len(layer.containers) == 1 + len(references)
    drawn = [bar for bars in whole.containers for bar in bars]
    assert len({bar.get_y() for bar in drawn}) == len(drawn)
    for number, name in enumerate(loaded["json"]):
        widths = [bar.get_width() for bar in whole.containers[number]]
        # All that is outside the layers, and the parts of layers: the whole.
        assert sum(widths) * 1e6 == pytest.approx(loaded["json"][name]["n_parameters"])


def test_beside_a_far_larger_model_the_axis_is_a_logarithm(tmp_path: Any):
    larger = {"model_type": "bert", "vocab_size": 60_000}
    beside = results(tmp_path, {"other": larger})
    figure, _ = draw_architecture(beside, "x", **SETTINGS)
    assert [ax.get_xscale() for ax in figure.axes] == ["log", "log"]
    for ax in figure.axes:
        for bar, words in zip(ax.patches, ax.texts, strict=True):
            assert ax.get_xlim()[0] < bar.get_width() < words.get_position()[0]
    assert_words_fit(figure)
    alone, _ = draw_architecture(results(tmp_path, {}), "x", **SETTINGS)
    assert alone.axes[0].get_xscale() == "linear"


def test_a_layer_s_bars_are_those_of_one_layer(tmp_path: Any):
    figure, _ = draw_architecture(results(tmp_path, {}), "a model", **SETTINGS)
    layer = figure.axes[1]
    size, up = BERT["hidden_size"], BERT["intermediate_size"]
    feed_forward = 2 * size * up + up + size + 2 * size  # with its LayerNorm
    share = feed_forward / (feed_forward + 4 * size * (size + 1) + 2 * size)
    heading = f"One layer (blue): {100 * share:.0f} % feed-forward"
    assert layer.get_title("left").endswith(heading)
    names = [text.get_text() for text in layer.get_yticklabels()]
    widths = dict(zip(names, (bar.get_width() for bar in layer.containers[0]), strict=True))
    assert widths["query"] * 1e6 == pytest.approx(24 * 24 + 24)
    assert widths["feed-forward, up"] * 1e6 == pytest.approx(24 * 48 + 48)


def test_tables_have_whole_numbers_and_the_hierarchy(tmp_path: Any):
    loaded = results(tmp_path, {"t5": {"model_type": "t5"}})
    _, text = draw_architecture(loaded, "a model", **SETTINGS)
    assert "## Components of a model" in text
    assert "## Components of t5" in text
    assert "· · · · · query (`encoder.layer.*.attention.self.query`)" in text
    n = loaded["json"]["mine"]["n_parameters"]
    assert f" {n:,} |" in text
    assert f"{n}.0" not in text
    assert "–" in text  # T5 has no table of positions


def test_vectors_alone_have_none_and_say_so():
    architecture = measure_architecture("mine", None, references={"bert": BERT}, names={})
    assert architecture["csv"].empty
    figure, text = draw_architecture(as_drawn(ARCHITECTURE, architecture), "my vectors", **SETTINGS)
    assert_words_fit(figure)
    assert stage_of(figure) == "measure_architecture"
    reason = "my vectors has no architecture: it is vectors alone."
    assert [words.get_text() for words in figure.axes[0].texts] == [reason]
    assert reason in text


def test_the_title_says_the_largest_part(tmp_path: Any):
    loaded = results(tmp_path, {"other": {"model_type": "bert"}})
    figure, _ = draw_architecture(loaded, "a model", **SETTINGS)
    rows = loaded["csv"].query("architecture == 'mine'")
    part = rows[rows["component"] == "token embeddings"].iloc[0]
    said = f"Token embeddings: {100 * part['share']:.2g} % of the parameters of a model, "
    assert figure.get_suptitle().startswith(said)


def test_an_empty_layer_has_no_share():
    columns = ["architecture", "component", "n_parameters"]
    assert _layer_phrase(pd.DataFrame(columns=columns, dtype=float)) == "One layer"
