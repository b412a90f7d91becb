"""HTML of what the app shows. Every word of a visitor or a model is escaped here."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from math import isnan, log10
from typing import NamedTuple

from embspace.app.live.directions import DirectionCosine
from embspace.app.queries.search import Hit
from embspace.app.queries.track import TokenAtLayer, Track
from embspace.errors import counted, one_line, visible

WIDTH, HEIGHT = 560, 300  # of a chart, in pixels
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 12, 38  # margins
RANKS = (0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)  # on the axis
# Of the chosen line, by page.css; three times as wide as the line. Both charts share it, so that
# its name is there once; in a picture hidden by `display` no dot would be drawn.
DOT = (
    '<svg width="0" height="0" aria-hidden="true" style="position: absolute"><defs>'
    '<marker id="embspace-dot" viewBox="-3 -3 6 6" markerWidth="3" markerHeight="3">'
    '<circle r="3"/></marker></defs></svg>'
)
TEMPLATE_MARKS = {ord(mark): f"&#{ord(mark)};" for mark in "${}`"}
Scale = Callable[[float], float]


class Line(NamedTuple):
    """The values of a token by layer, NaN at layers without a value."""

    position: int
    name: str
    layers: Sequence[int]
    values: Sequence[float]


def shown(text: str) -> str:
    """Return a text for HTML: on one line, escaped, with the text's own direction."""
    return f'<bdi dir="auto">{escaped(one_line(text))}</bdi>'


def escaped(text: str) -> str:
    """Return a text for HTML in a template, without the marks of the template."""
    return escape(visible(text), quote=True).translate(TEMPLATE_MARKS)


def tokens_view(track: Track) -> str:
    """Return a button for every token; `data-position` is its number, `data-table` its table."""
    buttons = (
        f'<button type="button" class="embspace-token" data-position="{position}" '
        f'data-table="{escape(nearest_view(track, rows))}">{shown(rows[0].token)}</button>'
        for position, rows in _by_position(track).items()
    )
    return f'<div class="embspace-tokens" role="group" aria-label="tokens">{"".join(buttons)}</div>'


def nearest_view(track: Track, rows: Sequence[TokenAtLayer]) -> str:
    """Return the table of one token by layer: rank, cosine or distance, the nearest tokens."""
    value = {"cosine": "cosine", "euclidean_distance": "distance", "head": "through the head"}
    cells = [[str(row.layer), f"{row.rank:,g}", _number(row.value), _nearest(row)] for row in rows]
    heads = ["layer", "rank", value[track.options.nearness], "nearest tokens of the vocabulary"]
    caption = f"{shown(rows[0].token)} at position {rows[0].position}. {escaped(track.title)}"
    return table(heads, cells, caption, name="nearest")


def _by_position(track: Track) -> dict[int, list[TokenAtLayer]]:
    by_position: dict[int, list[TokenAtLayer]] = {}
    for row in track.rows:
        by_position.setdefault(row.position, []).append(row)
    return dict(sorted(by_position.items()))


def _nearest(row: TokenAtLayer) -> str:
    pairs = zip(row.nearest, row.nearest_value, strict=True)
    return " ".join(
        f'<span class="embspace-near{" own" if token == row.token else ""}">{shown(token)} '
        f"<small>{value:.3f}</small></span>"
        for token, value in pairs
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str, *, name: str) -> str:
    """Return a table with heads of text, and with cells and caption of HTML."""
    head = "".join(f'<th scope="col">{escaped(text)}</th>' for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<div class="embspace-scroll"><table class="embspace-table" data-name="{escaped(name)}">'
        f"<caption>{caption}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def message_view(text: str) -> str:
    """Return a message that a screen reader speaks at once."""
    return f'<p class="embspace-message" role="alert">{escaped(text)}</p>'


def lines_view(text: str) -> str:
    """Return lines of a table as a command prints them."""
    return f'<pre class="embspace-lines">{escaped(text)}</pre>'


def track_view(track: Track) -> str:
    """Return the tokens of a text, two charts, and room for the table of the chosen token."""
    return (
        f"{tokens_view(track)}{DOT}"
        f'<div class="embspace-charts"><figure><figcaption>Rank of its own token, of every token '
        f"of the text</figcaption>{rank_chart(track)}</figure>"
        f"<figure><figcaption>Nearness to its own input embedding</figcaption>"
        f"{value_chart(track)}</figure></div>"
        '<div class="embspace-chosen"></div>'
    )


def directions_view(directions: DirectionCosine) -> str:
    """Return the cosine of two mean differences beside its nulls."""
    rows = [
        ["cosine of the mean differences", _number(directions.cosine)],
        ["of the same texts in random pairs, 95 % between", _range(directions)],
        ["share of random pairs as far from 0", f"{directions.p_value:.4f}"],
        ["at random weights", _number(directions.random_weights_cosine)],
        [
            "corrected for noise in both means; may exceed 1",
            _number(directions.corrected_cosine) or "undefined",
        ],
        *(
            [f"reliability of the mean of list {number}", _number(reliability) or "undefined"]
            for number, reliability in enumerate(directions.reliability, 1)
        ),
    ]
    n, m = directions.n_pairs
    place = f"layer {directions.layer}, {directions.pooling}"
    caption = f"{counted(n, 'pair')} and {counted(m, 'pair')}, {place}"
    return table(["quantity", "value"], rows, escaped(caption), name="directions")


def _range(directions: DirectionCosine) -> str:
    return f"{directions.null_low:.3f} and {directions.null_high:.3f}"


def hits_view(hits: Sequence[Hit], corpus: str) -> str:
    """Return the windows that a search has found."""
    cells = [
        [_number(hit.cosine), shown(hit.text), str(hit.window), shown(hit.snippet)] for hit in hits
    ]
    heads = ["cosine", "text", "window", "words"]
    return table(heads, cells, f"The nearest windows of {shown(corpus)}", name="hits")


def rank_chart(track: Track) -> str:
    """Return the ranks of all tokens by layer.

    The axis is logarithmic in rank + 1, to include 0, where no token is nearer.
    """
    lines = [line._replace(values=[log10(1 + v) for v in line.values]) for line in _lines(track)]
    top = max([1.0, *(value for line in lines for value in line.values)])
    ticks = [(log10(1 + rank), f"{rank:,}") for rank in RANKS]
    ticks = [tick for tick in ticks if tick[0] <= top]
    return _chart(lines, (0.0, top), ticks, "rank (0 = none is nearer)")


def value_chart(track: Track) -> str:
    """Return the cosines or distances of all tokens by layer; a sentence if there are none."""
    lines = _lines(track, has_values=True)
    values = [value for line in lines for value in line.values if not isnan(value)]
    if not values:
        return message_view("the head compares no vectors, so there is no cosine")
    is_cosine = track.options.nearness == "cosine"
    low, high = (min(0.0, *values), 1.0) if is_cosine else (0.0, max(values) or 1.0)
    ticks = [(low + (high - low) * part / 4, "") for part in range(5)]
    ticks = [(value, f"{value:.2g}") for value, _ in ticks]
    return _chart(lines, (low, high), ticks, "cosine" if is_cosine else "distance")


def _lines(track: Track, *, has_values: bool = False) -> list[Line]:
    return [
        Line(
            position,
            rows[0].token,
            [row.layer for row in rows],
            [row.value if has_values else row.rank for row in rows],
        )
        for position, rows in _by_position(track).items()
    ]


def _chart(
    lines: Sequence[Line],
    bounds: tuple[float, float],
    ticks: Sequence[tuple[float, str]],
    label: str,
) -> str:
    """Return an SVG with a line of every token, in a group of their own."""
    layers = sorted({layer for line in lines for layer in line.layers})
    last, (low, high) = max(layers[-1], 1), bounds

    def x(layer: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * layer / last

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (value - low) / (high - low or 1)

    grid = "".join(
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" '
        f'class="grid"/><text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{name}</text>'
        for value, name in ticks
    )
    step = 1 + last // 16
    axis = "".join(
        f'<text x="{x(layer):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{layer}</text>'
        for layer in layers[::step]
    )
    paths = "".join(_path(line, x, y) for line in lines)
    name = escaped(f"{label} by layer")
    return (
        f'<svg class="embspace-chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{name}">{grid}{axis}<g>{paths}</g>'
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">layer</text>'
        f'<text transform="translate(12 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">'
        f"{escaped(label)}</text></svg>"
    )


def _path(line: Line, x: Scale, y: Scale) -> str:
    points = [
        f"{x(layer):.1f},{y(value):.1f}"
        for layer, value in zip(line.layers, line.values, strict=True)
        if not isnan(value)
    ]
    x_of, _, y_of = points[0].partition(",") if points else ("", "", "")
    # A line of one point is seen, and chosen, by its dot.
    dot = f'<circle cx="{x_of}" cy="{y_of}" r="3"/>' if len(points) == 1 else ""
    return (
        f'<g class="embspace-line" data-position="{line.position}">'
        f'<title>{escaped(line.name)}</title><polyline points="{" ".join(points)}"/>{dot}</g>'
    )


def _number(value: float) -> str:
    return "" if isnan(value) else f"{value:.3f}"
