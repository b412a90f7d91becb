"""The live app in a browser: its numbers are the library's, and hostile words do nothing."""

import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import expect

from embspace.app.live.doors import guests_of
from embspace.app.queries.track import TrackOptions, track_tokens
from tests.app.explorer.trees import write_tree
from tests.app.queries.extracted import write_extracted
from tests.browser.conftest import Network

pytest.importorskip("gradio")
HOSTILE = "<script>window.hit=1</script>"
TEXTS = pd.DataFrame(
    {
        "id": ["sea", f"<img src=x onerror=window.hit=1>{HOSTILE}", "long"],
        "text": ["the boat and the tide", "salt and bread", "rain on the mat"],
    }
)
TEXTS["document"] = TEXTS["id"]
TEXT = "the boat and the tide"
GUESTS = guests_of("127.0.0.1", [], [], [])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from embspace.app.live.server import open_app

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(write_tree(write_extracted(tmp_path_factory.mktemp("app"), TEXTS)))
        for name in ("GRADIO_ANALYTICS_ENABLED", "HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
            patch.setenv(name, "")
        app = open_app(["tiny"], ["one"], host="127.0.0.1", port=7869, password=None, guests=GUESTS)
        yield app
        app.close()


@pytest.fixture
def app(page: Any, server: Any, network: Network) -> Any:
    network.origins.add(server.local_url.rstrip("/"))
    page.goto(server.local_url)
    page.wait_for_selector("#track")
    yield page
    assert page.evaluate("window.hit") is None


def track(page: Any, text: str) -> None:
    page.fill("#text textarea", text)
    page.click("#track")


def rows(page: Any) -> list[list[str]]:
    return [
        row.locator("td").all_inner_texts()[:3]
        for row in page.locator("[data-name=nearest] tbody tr").all()
    ]


def expected(token: str, options: TrackOptions) -> list[list[str]]:
    tracked = track_tokens(TEXT, "tiny", layer=None, token=token, occurrence=None, options=options)
    return [[str(row.layer), f"{row.rank:,g}", f"{row.value:.3f}"] for row in tracked.rows]


def test_a_token_that_is_picked_shows_the_rank_and_cosine_of_the_library(app: Any):
    track(app, TEXT)
    app.locator(".embspace-token", has_text="boat").click()
    app.wait_for_selector("caption:has-text('boat at position 2')")
    assert rows(app) == expected("boat", TrackOptions())
    assert app.locator("[aria-pressed=true]").all_inner_texts() == ["boat"]
    lines = app.locator(".embspace-chart:first-of-type .embspace-line:last-child")
    assert lines.evaluate_all("(all) => all.map((line) => line.dataset.position)") == ["2", "2"]
    width = "(line) => getComputedStyle(line).strokeWidth"
    assert lines.first.evaluate(width) == "3px"
    app.locator(".embspace-token", has_text="tide").focus()
    app.keyboard.press("Enter")
    app.wait_for_selector("caption:has-text('tide at position 5')")
    assert rows(app) == expected("tide", TrackOptions())
    app.wait_for_function("document.activeElement.textContent === 'tide'")
    app.get_by_label("own", exact=True).check()
    app.wait_for_selector("caption:has-text('own position added')")
    assert app.locator("[aria-pressed=true]").all_inner_texts() == ["tide"]
    assert rows(app) == expected("tide", TrackOptions(positions="own"))
    track(app, "salt and bread")
    app.wait_for_selector("caption:has-text('salt at position 1')")


def test_a_line_of_one_point_is_chosen_by_its_dot(app: Any):
    track(app, TEXT)
    app.wait_for_selector("caption:has-text('at position 1')")
    app.get_by_label("Point of reading").click()
    app.get_by_role("option", name="embedding").click()
    app.wait_for_selector("caption:has-text('embedding')")
    chart = app.locator(".embspace-chart").last
    chart.locator(".embspace-line:not(.chosen) circle").last.click()
    app.wait_for_function(
        "document.querySelector('.embspace-token:nth-child(2)').ariaPressed === 'false'"
    )
    assert app.locator("[aria-pressed=true]").count() == 1


def test_the_other_tabs_answer(app: Any):
    app.get_by_role("tab", name="Directions").click()
    app.fill("#first_pairs textarea", "salt | bread\nboat | tide")
    app.fill("#second_pairs textarea", "rain | mat\nthe salt | the bread")
    app.click("#directions")
    app.wait_for_selector("#directions_found >> text=random pairs, 95 %")
    app.get_by_role("tab", name="Two texts").click()
    app.fill("#first_text textarea", "the salt")
    app.fill("#second_text textarea", "the boat")
    app.click("#pair")
    app.wait_for_selector("#pair_found >> text=among 3 pairs of 3 documents")
    app.get_by_role("tab", name="Search").click()
    app.fill("#query textarea", TEXT)
    app.click("#search")
    app.wait_for_selector("#hits >> text=the boat and the tide")
    assert HOSTILE in app.locator("#hits").inner_text()


def open_map(page: Any) -> Any:
    page.get_by_role("tab", name="Map").click()
    frame = page.frame_locator("#map iframe")
    frame.locator("#explorer[data-ready]").wait_for()
    return frame


def test_the_map_is_drawn_and_a_search_on_it_finds_a_token(app: Any):
    frame = open_map(app)
    count = """canvas => {
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d");
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      return data.filter((value, at) => at % 4 === 3 && value > 0).length;
    }"""
    app.wait_for_timeout(200)
    assert frame.locator('[data-ex="points"]').evaluate(count) > 240  # a pixel for each token
    frame.locator('[data-ex="search"]').fill("word17")
    buttons = frame.locator('[data-ex="found"] button')
    assert buttons.all_text_contents()[:2] == ["word17", "word170"]
    buttons.first.click()
    assert frame.locator('[data-ex="neighbors"] ul').count() == 2


def test_the_map_is_as_high_as_its_page_and_stays_as_it_was_left(app: Any):
    frame = open_map(app)
    app.wait_for_timeout(500)
    inside = "document.documentElement.scrollHeight - innerHeight"
    assert frame.locator("body").evaluate(inside) == 0
    frame.locator('[data-ex="search"]').fill("word21")
    app.get_by_role("tab", name="Tokens").click()
    open_map(app)
    app.wait_for_timeout(500)
    assert frame.locator('[data-ex="search"]').input_value() == "word21"


def test_a_token_that_is_chosen_is_searched_for_on_the_map(app: Any):
    track(app, TEXT)
    app.locator(".embspace-token", has_text="boat").click()
    app.wait_for_selector("caption:has-text('boat at position 2')")
    frame = open_map(app)
    frame.locator('[data-ex="found"] >> text=0 found').wait_for()
    assert frame.locator('[data-ex="search"]').input_value() == "boat"
    app.get_by_role("tab", name="Tokens").click()
    app.locator(".embspace-token", has_text="tide").click()
    app.wait_for_selector("caption:has-text('tide at position')")
    open_map(app)
    expect(frame.locator('[data-ex="search"]')).to_have_value("tide")


def test_the_frame_of_the_map_reads_nothing_of_the_app(app: Any):
    frame = open_map(app)
    read = "() => { try { return parent.document.title } catch (error) { return error.name } }"
    assert frame.locator("body").evaluate(read) == "SecurityError"
    assert frame.locator("body").evaluate("() => origin") == "null"


def test_a_model_without_a_map_is_answered(app: Any, server: Any):
    app.goto(f"{server.local_url}?model=unknown")
    app.wait_for_function("document.querySelector('#model input')?.value === 'unknown'")
    app.get_by_role("tab", name="Map").click()
    app.wait_for_selector("#map [role=alert] >> text=unknown.yaml: not found")


@pytest.mark.parametrize(
    "text", [f"the {HOSTILE}", "the ${window.hit=1} {{hit}} `x`", "the שלום boat 😀"]
)
def test_hostile_and_foreign_texts_are_shown_as_text(app: Any, text: str):
    track(app, text)
    app.wait_for_selector(".embspace-token >> text=the")
    assert app.locator("#tracked script, #tracked img").count() == 0


def test_a_megabyte_is_refused_by_a_message(app: Any):
    track(app, "a" * 1_000_000)
    app.wait_for_selector("[role=alert] >> text=1,000,000 characters, allowed: 2,000")


def test_an_unknown_model_in_the_address_is_answered(app: Any, server: Any):
    app.goto(f"{server.local_url}?model={HOSTILE}")
    app.wait_for_function("document.querySelector('#model input')?.value.includes('script')")
    track(app, TEXT)
    app.wait_for_selector("[role=alert] >> text=window.hit")


def test_ten_pages_at_once_are_all_answered(app: Any, server: Any):
    # Each with connections of its own: a browser opens six to a server, and a page keeps one.
    contexts = [app.context.browser.new_context() for _ in range(9)]
    pages = [context.new_page() for context in contexts]
    for page in pages:
        page.goto(server.local_url)
        page.wait_for_selector("#track")
    for page in [app, *pages]:
        track(page, TEXT)
    for page in [app, *pages]:
        page.wait_for_selector(".embspace-token >> text=boat", timeout=60_000)
    for context in contexts:
        context.close()


@pytest.mark.parametrize("path", ["params.yaml", "conf/model/tiny.yaml", "../../etc/passwd"])
def test_no_file_is_served(server: Any, path: str):
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(f"{server.local_url}gradio_api/file={path}")
    assert error.value.code in (403, 404)


def test_a_password_is_asked_for(server: Any):
    from embspace.app.live.server import open_app

    app = open_app(
        ["tiny"], ["one"], host="127.0.0.1", port=7868, password="long enough", guests=GUESTS
    )
    try:
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(f"{app.local_url}config")
        assert error.value.code == 401
    finally:
        app.close()


def test_a_taken_port_is_an_input_error(server: Any):
    from embspace.app.live.server import open_app
    from embspace.errors import InputError

    with pytest.raises(InputError, match="--port: 7869 is taken"):
        open_app(["tiny"], ["one"], host="127.0.0.1", port=7869, password=None, guests=GUESTS)
