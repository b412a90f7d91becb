"""The whole page in a browser, from disk and with the network cut: speed, size, print, contrast.

Times are three times what is asked for, so that a machine that does something else fails no test;
those that were measured are in docs/explorer.md.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from embspace.app.explorer.fragment_of import explorer_of
from embspace.app.page.model import page_of
from embspace.files.rows import save_rows
from tests.app.page.trees import write_model_tree
from tests.browser.test_explorer import part

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

N_POINTS = 31_034  # tokens and positions of MiniLM
FIRST_PAINT = 3 * 2000  # milliseconds
FRAME = 3 * 100
HIGHEST_FIGURE = 235  # millimeters in print

FRAMES = """() => {
  window.frames_ = []; let last = performance.now();
  const next = () => { const now = performance.now(); frames_.push(now - last); last = now;
    requestAnimationFrame(next); };
  requestAnimationFrame(next);
}"""
# WCAG 2.2, success criterion 1.4.3: relative luminance, of text on what is painted behind it.
LOW_CONTRASTS = r"""() => {
  const rgba = (css) => {
    const found = css.match(/[\d.]+/g).map(Number);
    return found.length === 4 ? found : [...found, 1];
  };
  const luminance = (color) => {
    const [r, g, b] = color.map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (top, below) => below.map((v, k) => top[k] * top[3] + v * (1 - top[3]));
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      layers.unshift(rgba(getComputedStyle(at).backgroundColor));
      if (layers[0][3] === 1) break;
    }
    return layers.reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const low = new Set();
  let n = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || element.closest("script, noscript")) continue;
    const style = getComputedStyle(element);
    const back = ground(element);
    const both = [back, over(rgba(style.color), back)].map(luminance).sort((a, b) => b - a);
    const ratio = (both[0] + 0.05) / (both[1] + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    n += 1;
    if (ratio < (isLarge ? 3 : 4.5))
      low.add(`${element.tagName} ${element.className}: ${style.color}, ${ratio.toFixed(2)}`);
  }
  return [n, [...low]];
}"""
WITHOUT_OUTLINE = """() => {
  const style = getComputedStyle(document.activeElement);
  const isSeen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  return isSeen ? "" : document.activeElement.outerHTML.slice(0, 200);
}"""
# What is far from the screen is laid out and counts, too.
ALL_LAID_OUT = ".part { content-visibility: visible !important; }"


def _figure() -> str:
    """Return an SVG as heavy as a figure of points: 4,000 of them."""
    rng = np.random.default_rng(0)
    dots = (f'<circle cx="{x:.3f}" cy="{y:.3f}" r="1"/>' for x, y in 400 * rng.random((4000, 2)))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400">{"".join(dots)}</svg>'


@pytest.fixture(scope="module")
def file(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the default model with an explorer of as many points as it has vectors."""
    folder = write_model_tree(root, tmp_path_factory.mktemp("page"), svg=_figure())
    places = np.random.default_rng(0).normal(size=(N_POINTS, 2)).astype(np.float32)
    n_tokens = N_POINTS - 512
    points = pd.DataFrame(
        {
            "cloud": "joint",
            "space": ["input"] * n_tokens + ["positional"] * 512,
            "id": [*range(n_tokens), *range(512)],
            "token": [*(f"word{number}" for number in range(n_tokens)), *[""] * 512],
            "x": places[:, 0],
            "y": places[:, 1],
        }
    )
    (folder / "data/projected/pca").mkdir(parents=True)
    save_rows(points, str(folder / "data/projected/pca/minilm.parquet"))
    page = folder / "index.html"
    text = page_of(folder, "minilm", explorer=explorer_of(folder, "minilm"))
    page.write_text(text, encoding="utf-8")
    return page


@pytest.fixture
def opened(page: Any, file: Path) -> Any:
    page.goto(file.as_uri())
    page.wait_for_selector("#explorer[data-ready]", state="attached")
    return page


@pytest.fixture(params=["light", "dark"])
def colored(browser: "Browser", file: Path, request: Any) -> Iterator["Page"]:
    """The page on a phone, in light and in dark, with all that it can show shown."""
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=request.param)
    page.goto(file.as_uri())
    page.wait_for_selector("#explorer[data-ready]", state="attached")
    page.add_style_tag(content=ALL_LAID_OUT)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.get_by_role("checkbox", name="Contents").check()
    part(page, "search").fill("word17")
    part(page, "found").locator("button").first.click()
    yield page
    page.close()


def test_the_page_is_soon_painted_and_its_map_moves_without_jerks(opened: Any):
    paints = "performance.getEntriesByType('paint')"
    opened.wait_for_function(f"{paints}.length > 0")  # it is told a frame later
    painted = opened.evaluate(f"{paints}.at(-1).startTime")
    assert painted < FIRST_PAINT
    part(opened, "stage").evaluate("stage => stage.scrollIntoView({ block: 'center' })")
    opened.evaluate(FRAMES)
    box = part(opened, "overlay").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    opened.mouse.move(x, y)
    opened.mouse.down()
    for step in range(60):
        opened.mouse.move(x + step, y + step // 2)
        opened.wait_for_timeout(16)
    opened.mouse.up()
    frames = opened.evaluate("frames_")
    assert len(frames) > 20
    assert np.quantile(frames, 0.95) < FRAME


def test_a_figure_is_saved_as_svg_and_its_files_lie_beside_it(opened: Any, file: Path):
    section = opened.locator("section.part").filter(has=opened.locator(".save")).first
    button = section.locator(".save")
    button.scroll_into_view_if_needed()
    with opened.expect_download() as download:
        button.click()
    assert download.value.suggested_filename == f"{section.get_attribute('id')}.svg"
    root = ElementTree.parse(download.value.path()).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(root) == 4000
    links = [link.get_attribute("href") for link in section.locator(".files a").all()]
    assert {Path(link).suffix for link in links} >= {".svg", ".pdf", ".csv"}
    assert all((file.parent / link).is_file() for link in links)
    section.locator('.files a[href$=".svg"]').click()
    opened.wait_for_url("**/*.svg")
    assert opened.locator("circle").count() == 4000


def test_text_stands_out_and_a_phone_needs_no_sideways_scroll(colored: "Page"):
    n_texts, low = colored.evaluate(LOW_CONTRASTS)
    assert n_texts > 1000
    assert low == []
    wide = colored.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide == [390, 390]


def test_a_figure_on_a_phone_keeps_its_size_and_scrolls_in_its_frame(
    browser: "Browser", file: Path
):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(file.as_uri())
    page.add_style_tag(content=ALL_LAID_OUT)
    figure = page.locator("section.part > figure").first
    # 17 cm of paper are 482 points; of 7 points, the smallest letters, this makes 10 pixels.
    assert figure.locator("img").bounding_box()["width"] >= 482 * 10 / 7 - 1
    figure.evaluate("each => { each.scrollLeft = 1e6; }")
    assert figure.evaluate("each => each.scrollLeft") > 250
    assert figure.bounding_box()["width"] < 390
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1200, "height": 900})
    assert figure.evaluate("each => each.scrollWidth - each.clientWidth") == 0
    page.close()


def test_contents_take_no_room_of_a_phone_until_they_are_asked_for(browser: "Browser", file: Path):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(file.as_uri())
    contents = page.locator("nav div")
    assert not contents.is_visible()
    assert page.locator("h1").bounding_box()["y"] < 844 / 4
    page.get_by_role("checkbox", name="Contents").check()
    assert contents.is_visible()
    page.get_by_role("link", name="Model, texts and settings").first.click()
    assert page.evaluate("location.hash") == "#provenance"
    page.get_by_role("checkbox", name="Contents").uncheck()
    page.set_viewport_size({"width": 1200, "height": 900})
    assert contents.is_visible() and not page.locator("nav label").is_visible()
    page.close()


def test_tab_leads_past_the_contents_and_focus_is_seen(opened: Any):
    opened.keyboard.press("Tab")
    assert opened.evaluate("document.activeElement.className") == "skip"
    assert opened.locator(".skip").bounding_box()["x"] >= 0
    opened.keyboard.press("Enter")
    assert opened.evaluate("document.activeElement.id") == "content"
    reached = set()
    for _ in range(150):
        opened.keyboard.press("Tab")
        assert opened.evaluate(WITHOUT_OUTLINE) == ""
        name = opened.evaluate("document.activeElement.dataset.ex")
        reached.add(name)
        if name == "layer":
            break
    assert reached >= {"set", "map", "color", "search", "lasso", "names", "reset", "overlay"}
    assert reached >= {"trail", "layer"}
    hidden = "main :is(a, button, input, select, summary)[tabindex='-1']"
    assert opened.locator(hidden).count() == 0


def test_in_print_no_control_is_left_and_no_figure_is_cut(opened: Any):
    opened.emulate_media(media="print", color_scheme="dark")
    for name in ("nav", ".skip", ".save", ".filter", ".explorer"):
        shown = opened.locator(name).evaluate_all(
            "all => all.filter((each) => each.getClientRects().length).length"
        )
        assert shown == 0, name
    assert (
        opened.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    )
    heights = opened.locator("figure img").evaluate_all("all => all.map((each) => each.height)")
    assert 0 < max(heights) <= HIGHEST_FIGURE / 25.4 * 96
    breaks = opened.locator("figure").first.evaluate("each => getComputedStyle(each).breakInside")
    assert breaks == "avoid"
