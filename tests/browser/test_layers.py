"""The slider between the maps of layers, from disk and with the network cut."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from embspace.app.explorer.fragment_of import explorer_of
from tests.app.explorer.layer_trees import write_layer_maps
from tests.app.explorer.trees import HOSTILE, page_with, write_tree

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# Rows of the points' canvas that have a dot, as places, and the commonest color of a dot.
SEEN = """canvas => {
  const copy = document.createElement("canvas");
  copy.width = canvas.width; copy.height = canvas.height;
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  const data = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
  const counts = new Map(), places = [];
  data.forEach((pixel, at) => {
    if (!pixel) return;
    places.push(at); counts.set(pixel, (counts.get(pixel) || 0) + 1);
  });
  const [color] = [...counts].sort((a, b) => b[1] - a[1])[0];
  return {places: places.join(), color: [color & 255, (color >> 8) & 255, (color >> 16) & 255]};
}"""
RAMP_LOW, RAMP_HIGH, UNKNOWN = (68, 1, 84), (253, 231, 37), (140, 140, 140)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_layer_maps(write_tree(tmp_path_factory.mktemp("layers")))
    fragment = explorer_of(folder, "tiny")
    assert fragment is not None
    page = folder / "page.html"
    page.write_text(page_with(fragment), encoding="utf-8")
    return page


@pytest.fixture
def opened(page: Any, file: Path) -> Any:
    page.goto(file.as_uri())
    page.wait_for_selector("#explorer[data-ready]")
    part(page, "part").scroll_into_view_if_needed()
    return page


def part(page: "Page", name: str) -> "Locator":
    return page.locator(f'[data-ex="layers-{name}"]')


def seen(page: "Page") -> Any:
    page.wait_for_timeout(900)  # as long as a way from layer to layer, twice
    return part(page, "points").evaluate(SEEN)


def is_near(color: list[int], other: tuple[int, ...]) -> bool:
    """Whether two colors are one but for what an alpha leaves in eight bits."""
    return all(abs(a - b) < 4 for a, b in zip(color, other, strict=True))


def test_the_slider_moves_points_and_colors_them_by_new_neighbors(opened: Any) -> None:
    first = seen(opened)
    assert part(opened, "now").text_content() == "1"
    assert is_near(first["color"], RAMP_HIGH)
    part(opened, "at").fill("1.5")
    between = seen(opened)
    assert part(opened, "now").text_content() == "1 → 2"
    part(opened, "at").fill("2")
    second = seen(opened)
    assert len({view["places"] for view in (first, between, second)}) == 3
    assert is_near(between["color"], RAMP_LOW) and is_near(second["color"], RAMP_LOW)
    part(opened, "at").fill("0")
    assert is_near(seen(opened)["color"], UNKNOWN)
    assert "there is none before it" in part(opened, "legend").text_content()


def test_keys_go_from_layer_to_layer(opened: Any) -> None:
    part(opened, "at").focus()
    shown = []
    for key in ("ArrowRight", "ArrowLeft", "Home", "End"):
        opened.keyboard.press(key)
        seen(opened)
        shown.append(part(opened, "now").text_content())
        assert part(opened, "at").get_attribute("aria-valuetext") == f"layer {shown[-1]}"
        assert float(part(opened, "at").input_value()) == float(shown[-1])
    assert shown == ["2", "1", "0", "2"]


def test_the_legend_says_what_another_seed_changes(opened: Any) -> None:
    text = part(opened, "legend").text_content()
    space = "100.0 % new in the full space (random weights: 25.0 %)"
    assert f"layer 1: {space}, 100.0 % on the map" in text
    assert "another seed of this map alone changes 40.0 %" in text
    assert "random neighbors: 75.0 %" in text
    part(opened, "color").select_option(label="neighbors that another seed of the map changes")
    color = seen(opened)["color"]
    assert not is_near(color, RAMP_LOW) and not is_near(color, RAMP_HIGH)


def test_a_token_is_named_as_text(opened: Any) -> None:
    box = part(opened, "overlay").bounding_box()
    names = set()
    for row in range(8, int(box["height"]), 12):
        opened.mouse.move(box["x"] + box["width"] / 2, box["y"] + row)
        for column in range(8, int(box["width"]), 60):
            opened.mouse.move(box["x"] + column, box["y"] + row)
            if part(opened, "tip").is_visible():
                names.add(part(opened, "tip").text_content())
    assert names and names <= {*HOSTILE, *(f"a [word{number}] b" for number in range(60))}
    assert opened.title() == "explorer"
    assert opened.locator("#explorer img, #explorer script").count() == 0
