"""HTML of the app: what a visitor or model wrote is text in it, and nothing else."""

from html.parser import HTMLParser

import pytest

from embspace.app.live import views
from embspace.app.queries.search import Hit
from embspace.app.queries.track import TokenAtLayer, Track, TrackOptions

HOSTILE = "<script>alert(1)</script>\" onclick='x' ${alert(1)} {{value}} `\x1b"


class Parsed(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def a_track(nearness: str = "cosine", names: tuple[str, ...] = ("a", HOSTILE)) -> Track:
    nan = float("nan")
    rows = [
        TokenAtLayer(
            layer,
            position,
            name,
            1000.0 * layer,
            nan if nearness == "head" else 0.5,
            [name, HOSTILE],
            [0.5, 0.25],
        )
        for layer in range(3)
        for position, name in enumerate(names)
    ]
    return Track(HOSTILE, TrackOptions(nearness=nearness), rows)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "html",
    [
        views.track_view(a_track(), 1),
        views.message_view(HOSTILE),
        views.lines_view(HOSTILE),
        views.hits_view([Hit(0.5, HOSTILE, 0, HOSTILE)], HOSTILE),
    ],
)
def test_hostile_words_are_text(html: str):
    page = Parsed(html)
    assert "<script>alert(1)</script>" in page.text
    assert "script" not in {tag for tag, _ in page.tags}
    assert not any(name.startswith("on") for _, given in page.tags for name in given)
    assert not any(mark in html for mark in ("${", "{{", "`", "\x1b"))


def test_each_token_is_a_button_and_the_chosen_one_is_pressed():
    page = Parsed(views.tokens_view(a_track(names=("a", "b", "a")), 2))
    buttons = [given for tag, given in page.tags if tag == "button"]
    assert [button["data-position"] for button in buttons] == ["0", "1", "2"]
    assert [button["aria-pressed"] for button in buttons] == ["false", "false", "true"]


def test_the_chosen_line_is_bold_and_over_the_others():
    for chart in (views.rank_chart(a_track(), 0), views.value_chart(a_track(), 0)):
        lines = [given for tag, given in Parsed(chart).tags if tag == "polyline"]
        assert [line["stroke-width"] for line in lines] == ["1", "3"]


def test_the_rank_axis_holds_zero_and_the_largest_rank():
    shown = Parsed(views.rank_chart(a_track(), 0)).text
    assert "1,000" in shown and "3,000" not in shown
    points = [
        given["points"]
        for tag, given in Parsed(views.rank_chart(a_track(), 0)).tags
        if tag == "polyline"
    ]
    heights = [float(point.split(",")[1]) for point in str(points[0]).split()]
    assert heights[0] == views.HEIGHT - views.BOTTOM and heights[-1] == views.TOP


def test_the_head_has_no_cosine_and_says_so():
    assert "no cosine" in views.value_chart(a_track("head"), 0)


def test_the_table_has_a_row_a_layer():
    page = Parsed(views.nearest_view(a_track(), 0))
    assert [tag for tag, _ in page.tags].count("tr") == 4
    assert "2,000" in page.text and "0.500" in page.text


def test_text_from_right_to_left_keeps_to_itself():
    assert views.shown("שלום 😀") == '<bdi dir="auto">שלום 😀</bdi>'
