"""The explorer in a browser, from disk and with the network cut: what a reader does with it."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from embspace.app.explorer.fragment_of import explorer_of
from tests.app.explorer.trees import HOSTILE, page_with, read_data, tokens, vectors, write_tree
from tests.browser.conftest import ARGUMENTS, CHROMIUM

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

# A quarter of the map, as shares of its width and height.
LASSO = ((0.1, 0.1), (0.5, 0.1), (0.5, 0.5), (0.1, 0.5), (0.1, 0.12))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with the explorer of a tree with hostile tokens."""
    folder = tmp_path_factory.mktemp("explorer")
    fragment = explorer_of(write_tree(folder), "tiny")
    assert fragment is not None
    page = folder / "page.html"
    page.write_text(page_with(fragment), encoding="utf-8")
    return page


@pytest.fixture
def opened(page: Any, file: Path) -> Any:
    """The page in the browser, as far as the first map is drawn."""
    return _open(page, file)


def _open(page: Any, file: Path) -> Any:
    page.goto(file.as_uri())
    page.wait_for_selector("#explorer[data-ready]")
    return page


def part(page: "Page", name: str) -> "Locator":
    """Return a part of the explorer by its name."""
    return page.locator(f'[data-ex="{name}"]')


def lasso(page: "Page") -> list[str]:
    """Draw a lasso over a quarter of the map; return the names that are listed."""
    part(page, "lasso").click()
    part(page, "stage").scroll_into_view_if_needed()
    box = part(page, "overlay").bounding_box()
    assert box is not None
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in LASSO]
    page.mouse.move(*places[0])
    page.mouse.down()
    for x, y in places[1:]:
        page.mouse.move(x, y, steps=4)
    page.mouse.up()
    return part(page, "selected").locator("button").all_text_contents()


def colors(page: "Page") -> int:
    """Return how many different colors the map's canvas shows."""
    count = """canvas => {
      const copy = document.createElement("canvas");
      copy.width = canvas.width; copy.height = canvas.height;
      const context = copy.getContext("2d");
      context.drawImage(canvas, 0, 0);
      return new Set(new Uint32Array(
        context.getImageData(0, 0, copy.width, copy.height).data.buffer)).size;
    }"""
    page.wait_for_timeout(100)
    n_colors: int = part(page, "points").evaluate(count)
    return n_colors


def test_the_map_opens_with_the_truest_one_drawn(opened: Any):
    assert opened.locator("#explorer").get_attribute("data-painter") == "WebGL"
    assert part(opened, "map").input_value() == "3"
    truth = part(opened, "truth").text_content()
    assert "keeps 50.0 % (a random layout 0.060 %)" in truth and "truest map here" in truth
    assert colors(opened) > 2


def test_a_search_finds_a_token_and_shows_its_neighbors(opened: Any):
    part(opened, "search").fill("word17")
    buttons = part(opened, "found").locator("button")
    assert buttons.all_text_contents()[:2] == ["word17", "word170"]
    buttons.first.click()
    lists = part(opened, "neighbors").locator("ul")
    x = vectors("joint_centered").astype(np.float64)
    number = tokens().index("word17")
    names = [*tokens(), *(f"position {n}" for n in range(len(x) - len(tokens())))]
    order = np.argsort(np.linalg.norm(x - x[number], axis=1))[1:7]
    assert lists.nth(0).locator("button").all_text_contents() == [names[i] for i in order]
    order = np.argsort(np.linalg.norm(x[:, :2] - x[number, :2], axis=1))[1:7]
    assert lists.nth(1).locator("button").all_text_contents() == [names[i] for i in order]


def test_enter_goes_to_the_first_hit_with_cosines_and_the_wheel_is_the_maps(opened: Any):
    image = "canvas => canvas.toDataURL()"
    before = part(opened, "overlay").evaluate(image)
    part(opened, "search").fill("word17")
    opened.wait_for_timeout(100)
    ringed = part(opened, "overlay").evaluate(image)
    assert ringed != before
    part(opened, "search").press("Enter")
    assert part(opened, "neighbors").locator("p").first.text_content() == "word17"
    x = vectors("joint").astype(np.float64)
    x -= x.mean(axis=0)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    number = tokens().index("word17")
    planted = vectors("joint_centered").astype(np.float64)
    order = np.argsort(np.linalg.norm(planted - planted[number], axis=1))[1:7]
    shown = part(opened, "neighbors").locator("ul").nth(0).locator(".ex-beside")
    values = np.array(shown.all_text_contents(), dtype=float)
    np.testing.assert_allclose(values, x[order] @ x[number], atol=0.00501)
    assert "by cosine about the mean" in part(opened, "neighbors").locator("b").nth(0).inner_text()


@pytest.mark.parametrize("name", ["found", "neighbors"])
def test_the_wheel_is_the_maps_after_a_click_in_a_list(opened: Any, name: str):
    image = "canvas => canvas.toDataURL()"
    part(opened, "search").fill("word17")
    part(opened, "found").locator("button").first.click()
    if name == "neighbors":
        part(opened, name).locator("button").first.click()
    part(opened, "overlay").hover()
    opened.wait_for_timeout(100)
    before, scroll = part(opened, "points").evaluate(image), opened.evaluate("scrollY")
    opened.mouse.wheel(0, 60)
    opened.wait_for_timeout(200)
    assert part(opened, "points").evaluate(image) != before
    assert opened.evaluate("scrollY") == scroll


def test_a_lasso_lists_the_points_inside_and_gives_a_csv_and_a_copy(opened: Any):
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    names = lasso(opened)
    assert 5 < len(names) < 200
    assert part(opened, "count").text_content() == f"{len(names)} selected"
    with opened.expect_download() as download:
        part(opened, "csv").click()
    assert download.value.suggested_filename == "tiny_selected.csv"
    rows = [*csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8-sig")))]
    assert [row["name"].removeprefix("'") for row in rows] == names
    box = np.array([[float(row["x"]), float(row["y"])] for row in rows])
    places = vectors("joint_centered")[:, :2]
    inside = ((places > box.min(0) - 1e-3) & (places < box.max(0) + 1e-3)).all(1)
    assert inside.sum() == len(names)  # the lasso is a rectangle, and so is what it holds
    part(opened, "copy").click()
    copied = opened.evaluate("navigator.clipboard.readText()")
    assert copied.replace("\r\n", "\n") == "\n".join(names)
    part(opened, "clear").click()
    assert part(opened, "selected-part").is_hidden()


def test_color_map_and_range_can_be_changed(opened: Any):
    by_kind = colors(opened)
    part(opened, "color").select_option("norm")
    assert colors(opened) > by_kind
    part(opened, "low").fill("500")
    text = part(opened, "range").text_content()
    assert "1.50 to 2: 120 points" in text
    part(opened, "color").select_option("neighbors lost")
    assert "neighbors lost" in part(opened, "legend").text_content()
    part(opened, "map").select_option("0")
    assert "the truest is t-SNE" in part(opened, "truth").text_content()
    assert part(opened, "color").input_value() == "neighbors lost"


def test_the_layer_slider_moves_the_trails(opened: Any):
    image = "canvas => canvas.toDataURL()"
    last = part(opened, "trails").evaluate(image)
    part(opened, "layer").fill("1")
    assert part(opened, "layer-now").text_content() == "1"
    assert part(opened, "trails").evaluate(image) != last


def test_keys_move_zoom_and_clear(opened: Any):
    image = "canvas => canvas.toDataURL()"
    overlay = part(opened, "overlay")
    seen = [part(opened, "points").evaluate(image)]
    overlay.focus()
    for key in ("ArrowLeft", "+"):
        opened.keyboard.press(key)
        opened.wait_for_timeout(100)
        seen.append(part(opened, "points").evaluate(image))
    assert len(set(seen)) == 3
    opened.keyboard.press("0")
    opened.wait_for_timeout(100)
    assert part(opened, "points").evaluate(image) == seen[0]
    assert lasso(opened)
    overlay.focus()
    opened.keyboard.press("Escape")
    assert part(opened, "selected-part").is_hidden()


def test_the_wheel_scrolls_the_page_until_the_map_was_clicked(opened: Any):
    overlay = part(opened, "overlay")
    image = "canvas => canvas.toDataURL()"
    before = part(opened, "points").evaluate(image)
    overlay.hover()
    opened.mouse.wheel(0, 60)
    opened.wait_for_timeout(200)
    assert part(opened, "points").evaluate(image) == before
    overlay.click(position={"x": 3, "y": 3})
    opened.mouse.wheel(0, 60)
    opened.wait_for_timeout(200)
    assert part(opened, "points").evaluate(image) != before


def test_a_turned_map_says_that_its_numbers_are_of_the_flat_one(opened: Any):
    part(opened, "search").fill("word17")
    part(opened, "found").locator("button").first.click()
    flat = part(opened, "neighbors").text_content()
    box = part(opened, "overlay").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    opened.keyboard.down("Alt")
    opened.mouse.move(x, y)
    opened.mouse.down()
    opened.mouse.move(x + 90, y + 60, steps=4)
    opened.mouse.up()
    opened.keyboard.up("Alt")
    assert "turned as it is now" in part(opened, "neighbors").text_content()
    assert "numbers are of the flat map" in part(opened, "truth").text_content()
    part(opened, "reset").click()
    assert part(opened, "neighbors").text_content() == flat
    assert "flat" not in part(opened, "truth").text_content()


@pytest.mark.parametrize("token", HOSTILE)
def test_hostile_tokens_are_text(opened: Any, file: Path, token: str):
    part(opened, "search").fill(token)
    button = part(opened, "found").locator("button").first
    shown = button.text_content()
    assert shown == token
    button.click()
    assert part(opened, "neighbors").locator("p").first.text_content() == token
    assert opened.title() == "explorer"
    assert opened.locator("#explorer img, #explorer script").count() == 0


@pytest.fixture(scope="module")
def without_webgl(browser: "Browser") -> Iterator["Browser"]:
    """A second browser, in which no page has WebGL."""
    arguments = [argument for argument in ARGUMENTS if "swiftshader" not in argument]
    arguments += ["--disable-gpu", "--disable-3d-apis"]
    launched = browser.browser_type.launch(executable_path=CHROMIUM, args=arguments)
    yield launched
    launched.close()


def test_without_webgl_the_same_map_is_drawn_on_a_canvas(without_webgl: "Browser", file: Path):
    page = without_webgl.new_page(viewport={"width": 1200, "height": 900})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    _open(page, file)
    assert page.locator("#explorer").get_attribute("data-painter") == "canvas"
    assert colors(page) > 2
    names = lasso(page)
    assert 5 < len(names) < 200
    assert errors == []
    page.close()


def test_the_data_of_the_page_are_those_of_the_tree(file: Path):
    text = file.read_text(encoding="utf-8")
    start = text.index('<script type="application/json"')
    content, _ = read_data(text[start:])
    assert content["sets"][0]["names"][: len(HOSTILE)] == list(HOSTILE)
