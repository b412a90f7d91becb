"""Answers of the live app as HTML; whatever a visitor sends, the answer is HTML, too."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar, get_args

from embspace.app.live.choices import reading_model
from embspace.app.live.directions import compare_directions, read_pairs
from embspace.app.live.limits import (
    MOST_CHARACTERS,
    MOST_PAIRS,
    MOST_REQUESTS,
    PER_SECONDS,
    RateLimit,
    check_length,
)
from embspace.app.live.views import (
    directions_view,
    hits_view,
    lines_view,
    message_view,
    track_view,
)
from embspace.app.queries.loading import without_report_of_weights
from embspace.app.queries.track import TrackOptions, track_tokens
from embspace.clouds.pooling import EXTRACTED
from embspace.errors import InputError, not_among, shortened
from embspace.models.stream.tracked_states import Point
from embspace.models.stream.tracked_vocabulary import Positions, VocabularyNearness

N_NEAREST = 5
N_HITS = 10
LONGEST_NAME = 200  # characters of a model's or corpus's name
NO_LAYER = 10**9  # which no model has, and is answered by those that there are
POINTS: tuple[Point, ...] = get_args(Point)
POSITIONS: tuple[Positions, ...] = get_args(Positions)
NEARNESS: tuple[VocabularyNearness, ...] = get_args(VocabularyNearness)
Chosen = TypeVar("Chosen", bound=str)
Answer = TypeVar("Answer")
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Answers:
    """Answers visitors one at a time, and limits how often each may ask."""

    limit: RateLimit = field(default_factory=lambda: RateLimit(MOST_REQUESTS, PER_SECONDS))
    _one_at_a_time: Any = field(default_factory=Lock)

    def track(
        self,
        visitor: str,
        text: object,
        model: object,
        positions: object,
        point: object,
        nearness: object,
    ) -> str:
        """Return the views of a text's tokens."""

        def work() -> str:
            options = TrackOptions(
                _among("point", point, POINTS),
                _among("positions", positions, POSITIONS),
                _among("nearness", nearness, NEARNESS),
                N_NEAREST,
            )
            name = _name("model", model)
            reading_model(name)  # a visitor's path is no model, as a user's is
            words = _text("text", text)
            everywhere: dict[str, Any] = {"layer": None, "token": None, "occurrence": None}
            return track_view(track_tokens(words, name, **everywhere, options=options))

        return self._answer(visitor, work)

    def directions(
        self,
        visitor: str,
        model: object,
        first: object,
        second: object,
        layer: object,
        pooling: object,
    ) -> str:
        """Return the cosine of the mean differences of two lists of pairs."""

        def work() -> str:
            name = _name("model", model)
            lists = [
                read_pairs(_pairs(f"list {number}", given), f"list {number}")
                for number, given in enumerate((first, second), 1)
            ]
            how = _among("pooling", pooling, EXTRACTED)
            comparison = _at_layer(
                layer, lambda number: compare_directions(name, *lists, layer=number, pooling=how)
            )
            return directions_view(comparison)

        return self._answer(visitor, work)

    def pair(
        self,
        visitor: str,
        model: object,
        corpus: object,
        texts: tuple[object, object],
        layer: object,
        pooling: object,
    ) -> str:
        """Return the cosine of two texts, and where it stands among all pairs of a corpus."""

        def work() -> str:
            from embspace.app.queries.cosine import compare_texts

            pair = [_text("text", text) for text in texts]
            where, how = _where(model, corpus), _among("pooling", pooling, EXTRACTED)
            comparison = _at_layer(
                layer, lambda number: compare_texts(*where, *pair, layer=number, pooling=how)
            )
            return lines_view(str(comparison))

        return self._answer(visitor, work)

    def search(
        self,
        visitor: str,
        model: object,
        corpus: object,
        query: object,
        layer: object,
        pooling: object,
    ) -> str:
        """Return the windows of a corpus that are most like a query."""

        def work() -> str:
            from embspace.app.queries.search import search

            where, text = _where(model, corpus), _text("text", query)
            how = _among("pooling", pooling, EXTRACTED)
            hits = _at_layer(
                layer,
                lambda number: search(*where, text, layer=number, pooling=how, n_hits=N_HITS),
            )
            return hits_view(hits, where[1])

        return self._answer(visitor, work)

    def map(self, visitor: str, model: object, there: object) -> tuple[str | None, object]:
        """Return the explorer of a model's maps, None if `there` already, and the identity.

        The identity is the model with the computed files; None for a message.
        """
        identities: list[object] = []

        def work() -> str:
            from embspace.app.live.maps import files_of, map_view
            from embspace.settings.find_description import described_in
            from embspace.settings.params import CONF

            name = _name("model", model)
            described_in(CONF / "model", name)  # before a path is built of what was typed
            now = (name, files_of(name))
            view = map_view(name) if now != there else ""
            identities.append(now)
            return view

        view = self._answer(visitor, work)
        return view or None, identities[0] if identities else None

    def _answer(self, visitor: str, work: Callable[[], str]) -> str:
        """Return what `work` returns, or a message; a crash is logged and ends only its request."""
        try:
            self.limit.take(visitor)
            with self._one_at_a_time, without_report_of_weights():
                return work()
        except InputError as error:
            return message_view(str(error))
        except Exception:
            log.exception("a request failed")
            return message_view("this request failed; the terminal of `embspace app` says why")


def _among(what: str, given: object, allowed: tuple[Chosen, ...]) -> Chosen:
    for choice in allowed:
        if choice == given:
            return choice
    raise InputError(f"{what}: {not_among(shortened(given), allowed)}")


def _text(what: str, given: object, most: int = MOST_CHARACTERS) -> str:
    if not isinstance(given, str):
        raise InputError(f"{what}: found {shortened(given)}, allowed: a text")
    return check_length(given, what, most=most)


def _name(what: str, given: object) -> str:
    return _text(what, given, LONGEST_NAME)


def _pairs(what: str, given: object) -> str:
    return _text(what, given, 2 * MOST_PAIRS * MOST_CHARACTERS)


def _where(model: object, corpus: object) -> tuple[str, str]:
    """Return the names of a described model and corpus; a path is no name.

    Raises:
        InputError: naming the known models or corpora.
    """
    from embspace.settings.params import CONF, read_params

    models = tuple(sorted(path.stem for path in (CONF / "model").glob("*.yaml")))
    corpora = tuple(read_params().corpora)
    return _among("model", model, models), _among("corpus", corpus, corpora)


def _at_layer(layer: object, work: Callable[[int], Answer]) -> Answer:
    """Return the result of `work` for a layer; anything but a number gives the list of layers."""
    if isinstance(layer, int | float) and not isinstance(layer, bool) and layer == layer // 1:
        number, shown = int(layer), f"{layer:g}"
    else:
        number, shown = NO_LAYER, shortened(layer)
    try:
        return work(number)
    except InputError as error:
        said = str(error).removeprefix("--")
        if said.startswith("layer: "):
            said = said.replace(str(number), shown, 1)
        raise InputError(said if said.startswith("layer: ") else str(error)) from None
