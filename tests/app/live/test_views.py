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
        views.track_view(a_track()),
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
    for _, given in page.tags:
        if table := given.get("data-table"):
            test_hostile_words_are_text(table)


def test_each_token_is_a_button_with_its_table():
    page = Parsed(views.tokens_view(a_track(names=("a", "b", "a"))))
    buttons = [given for tag, given in page.tags if tag == "button"]
    assert [button["data-position"] for button in buttons] == ["0", "1", "2"]
    for position, button in enumerate(buttons):
        table = Parsed(str(button["data-table"]))
        assert f"at position {position}" in table.text
        assert [tag for tag, _ in table.tags].count("tr") == 4  # of three layers, and the head
        assert "2,000" in table.text and "0.500" in table.text
        assert "script" not in {tag for tag, _ in table.tags}


def test_the_rank_axis_holds_zero_and_the_largest_rank():
    shown = Parsed(views.rank_chart(a_track())).text
    assert "1,000" in shown and "3,000" not in shown
    points = [
        given["points"]
        for tag, given in Parsed(views.rank_chart(a_track())).tags
        if tag == "polyline"
    ]
    heights = [float(point.split(",")[1]) for point in str(points[0]).split()]
    assert heights[0] == views.HEIGHT - views.BOTTOM and heights[-1] == views.TOP


def test_the_head_has_no_cosine_and_says_so():
    assert "no cosine" in views.value_chart(a_track("head"))


def test_text_from_right_to_left_keeps_to_itself():
    assert views.shown("שלום 😀") == '<bdi dir="auto">שלום 😀</bdi>'
