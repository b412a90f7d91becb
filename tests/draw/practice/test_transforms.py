from typing import Any

import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.draw.practice.transforms import draw_transforms
from embspace.measure.practice import text_hubs
from embspace.measure.practice.text_hubs import TEXT_HUBS, measure_text_hubs
from embspace.measure.practice.transforms import TRANSFORMS, measure_transforms
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.practice.planted import topics


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_hubs, "N_NULL", 5)
        corpora = {"ships": topics()}
        hubs = measure_text_hubs(corpora, **settings_of(measure_text_hubs))["hubness"]
        effects = measure_transforms(corpora, **settings_of(measure_transforms))
    return {**effects, "text_hubs/hubness": hubs}


def drawn(given: Outcome) -> Any:
    return draw_transforms(as_drawn(TRANSFORMS, given), "a model", **settings_of(draw_transforms))


def title(given: Outcome) -> str:
    return " ".join(drawn(given)[0].get_suptitle().split())


def test_points_are_differences_and_hubness(outcome: Outcome):
    figure, _ = drawn(outcome)
    assert_words_fit(figure)
    search, labels, hubness = figure.axes
    assert search.get_ylim() == labels.get_ylim()  # one row a change
    table = outcome["csv"].query("task == 'search'").set_index("version")
    given = search.containers[0][0].get_xdata()
    assert given[0] == pytest.approx(table.loc["centered", "difference"])
    hubs = outcome["text_hubs/hubness"].set_index("version")
    names = [label.get_text() for label in hubness.get_yticklabels()]
    assert names[:2] == ["raw cosine", "centered cosine"]
    assert len(hubness.lines) == 2 and hubness.lines[1].get_ydata()[0] == 0  # one null, of cosines
    assert "without intervals" in " ".join(text.get_text() for text in figure.texts)
    assert hubness.lines[0].get_xdata()[0] == pytest.approx(hubs.loc["cosine", "skewness"])


def effects(outcome: Outcome, **rows: tuple[float, float]) -> pd.DataFrame:
    """All changes without an effect on search, but for some: low and high of the difference."""
    table = outcome["csv"].assign(difference=0.0, difference_low=-0.1, difference_high=0.1)
    for version, (low, high) in rows.items():
        at = (table["version"] == version) & (table["task"] == "search")
        table.loc[at, "difference"] = (low + high) / 2
        table.loc[at, "difference_low"], table.loc[at, "difference_high"] = low, high
    return table


def test_the_title_names_a_sure_gain_or_the_largest_sure_loss(outcome: Outcome):
    gain = {"csv": effects(outcome, centered=(0.1, 0.3))}
    best = outcome["best"].assign(version="centered")
    assert title({**outcome, **gain, "best": best}) == (
        "Centered: search of ships surely gains 0.20, and no task there surely loses"
    )
    loss = {"csv": effects(outcome, whitened=(-0.4, -0.2)), "best": best.assign(version="raw")}
    assert title({**outcome, **loss}) == (
        "No change of coordinates surely helps search or labels; whitened, search of ships loses "
        "0.30; rescaled cosines lower hubness (c, no intervals)"
    )
    mixed = {"csv": effects(outcome, whitened=(-0.4, -0.2), centered=(0.1, 0.2))}
    assert "search or labels without harm; whitened" in title({**outcome, **loss, **mixed})
    none = {"csv": effects(outcome), "best": best.assign(version="raw")}
    assert title({**outcome, **none}).endswith("surely helps search or labels")
    printed = [text.get_text() for text in drawn({**outcome, **loss})[0].axes[0].texts]
    assert printed == ["−0.30"]
    empty = {**TRANSFORMS.empty(), "text_hubs/hubness": TEXT_HUBS.empty()["hubness"]}
    assert title(empty) == "Too few texts to try changes of coordinates"


@pytest.mark.parametrize(
    ("skewness", "said"),
    [
        ({"centered": 1.0, "local_scaling": 1.0, "csls": 1.0}, "centering and rescaled cosines "),
        (
            {"centered": 1.0, "local_scaling": 1.0, "csls": 3.0},
            "centering lowers hubness (c, no intervals)",
        ),
        ({"centered": 3.0, "csls": 1.0}, "0; rescaled cosines lower hubness (c, no intervals)"),
        ({"centered": 3.0, "csls": 3.0}, "ships loses 0.30"),
        ({}, "ships loses 0.30"),
    ],
)
def test_the_title_names_what_lowers_hubness_in_the_panel(
    outcome: Outcome, skewness: dict[str, float], said: str
):
    loss = {"csv": effects(outcome, whitened=(-0.4, -0.2))}
    loss["best"] = outcome["best"].assign(version="raw")
    hubs = outcome["text_hubs/hubness"]
    levels = hubs["version"].map({"cosine": 2.0, **skewness})
    hubs = hubs.assign(skewness=levels)[levels.notna()]
    words = title({**outcome, **loss, "text_hubs/hubness": hubs})
    assert said in words and words.endswith(("hubness (c, no intervals)", "0.30"))
    without = hubs[hubs["version"] != "cosine"]
    assert title({**outcome, **loss, "text_hubs/hubness": without}).endswith("ships loses 0.30")
