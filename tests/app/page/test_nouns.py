from pathlib import Path

import pytest

from embspace.app.page.nouns import COMPARES_MODELS, drawn_nouns, layer_nouns
from embspace.app.page.section import CHAPTERS
from embspace.settings.pipeline import read_stages


@pytest.mark.parametrize(
    ("models", "nouns"), [("models", drawn_nouns()), ("profiled", layer_nouns())]
)
def test_whatever_is_drawn_of_one_model_has_a_place(root: Path, models: str, nouns: dict[str, str]):
    drawn = {
        Path(output).parent.name: stage.name.removeprefix("draw_")
        for stage in read_stages(root).values()
        if stage.entry.get("matrix") == {"model": f"${{{models}}}"}
        for output in stage.outputs()
        if output.startswith("figures/") and output.endswith(".md")
    }
    assert drawn.pop(COMPARES_MODELS, None) in (None, "layers")
    assert nouns == drawn
    assert set(nouns.values()) <= CHAPTERS.keys()
