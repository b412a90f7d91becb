"""The statistics of followed tokens, as functions of the texts, for half-samples."""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.inference.resampling import probability_of_larger
from embspace.geometry.pairs.safe_ratio import ratio
from embspace.measure.words.token_tracker_texts import CONTENT, FUNCTION, HOMONYM, ONE_SENSE
from embspace.measure.words.token_tracker_tracks import QUANTITIES, Tracks
from embspace.models.stream.tracked_vocabulary import Positions

Inside = Bool[np.ndarray, " token"]
CONTRASTS = {"content_function": (CONTENT, FUNCTION), "homonym_one_sense": (HOMONYM, ONE_SENSE)}
CONTRASTED = ("larger_rank", "larger_cosine", "log_rank_difference", "cosine_difference")
MOVEMENTS = ("share_of_distance", "share_of_log_rank", "share_of_cosine")
EXCURSIONS = (
    "excursion_layer",
    "excursion_of_function_words",
    "excursion_of_function_less_content_words",
    "texts_with_excursion_in_that_layer",
)
TWOFOLD = np.log10(2)


def group_means(
    tracks: Tracks, positions: Positions, groups: Sequence[str], inside: Inside
) -> Float[np.ndarray, "group place quantity"]:
    """Return the mean of the quantities over the tokens by group; NaN for an empty group."""
    values = tracks.values[positions]
    kept = [inside & (tracks.group == group) for group in groups]
    means = [
        values[..., members].mean(axis=2) if members.any() else np.full(values.shape[:2], np.nan)
        for members in kept
    ]
    return np.stack(means)


def contrast(
    tracks: Tracks, positions: Positions, groups: tuple[str, str], inside: Inside
) -> Float[np.ndarray, "place contrasted"]:
    """The first group beside the second, in the order of `CONTRASTED`.

    The probability that a token of the first has the larger rank, and the larger cosine, a tie half
    (0.5: no difference); and differences of the means.
    """
    values = tracks.values[positions]
    first, second = (values[..., inside & (tracks.group == group)] for group in groups)
    rank, cosine = (QUANTITIES.index(name) for name in ("log_rank", "cosine"))
    if not first.shape[2] or not second.shape[2]:
        return np.full((len(values), len(CONTRASTED)), np.nan)
    difference = first.mean(axis=2) - second.mean(axis=2)
    columns = [
        probability_of_larger(first[:, rank], second[:, rank]),
        probability_of_larger(first[:, cosine], second[:, cosine]),
        difference[:, rank],
        difference[:, cosine],
    ]
    return np.stack(columns, axis=1)


def movement_shares(
    tracks: Tracks, group: str, inside: Inside
) -> Float[np.ndarray, "movement layer"]:
    """Return the layers' shares in the movement of a group's tokens; the layers add up to 1."""
    kept = inside & (tracks.group == group)
    moved = [
        tracks.step[:, kept],
        *(np.abs(np.diff(tracks.of(name)[:, kept], axis=0)) for name in ("log_rank", "cosine")),
    ]
    sums = np.stack([moves.sum(axis=1) for moves in moved])
    return ratio(sums, sums.sum(axis=1, keepdims=True))


def both_ways(tracks: Tracks, kept: Inside) -> float:
    """Return the share of tokens whose cosine with the own row both falls and rises."""
    steps = np.diff(tracks.of("cosine")[:, kept], axis=0)
    return float(((steps > 0).any(axis=0) & (steps < 0).any(axis=0)).mean())


def excursions(
    log_rank: Float[np.ndarray, "layer ..."],
) -> Float[np.ndarray, "inner_layer ..."]:
    """Return by how much a layer's log rank exceeds both neighbors'; layers 1..L-1."""
    return log_rank[1:-1] - np.maximum(log_rank[:-2], log_rank[2:])


def excursion_statistics(tracks: Tracks, inside: Inside) -> dict[str, float]:
    """Return the largest excursion of function words: layer, size, and share of texts with it."""
    log_rank = tracks.of("log_rank")
    if len(log_rank) < 3:
        return dict.fromkeys(EXCURSIONS, np.nan)
    function, content = (inside & (tracks.group == name) for name in (FUNCTION, CONTENT))
    function_excursions = excursions(log_rank[:, function].mean(axis=1))
    content_excursions = excursions(log_rank[:, content].mean(axis=1))
    at = int(function_excursions.argmax())
    units = np.unique(tracks.unit[function])
    by_unit = np.stack(
        [log_rank[:, function & (tracks.unit == unit)].mean(axis=1) for unit in units], axis=1
    )
    in_texts = (excursions(by_unit).argmax(axis=0) == at).mean()
    largest = function_excursions[at]
    if largest <= 0:  # no layer throws them away, and so none that all texts could share
        in_texts = np.nan
    values = (at + 1, largest, largest - content_excursions[at], in_texts)
    return dict(zip(EXCURSIONS, map(float, values), strict=True))


def rank_per_cosine(tracks: Tracks, kept: Inside) -> float:
    """The growth of the log rank from layer 0 to the last, over the cosine that is lost."""
    rank, cosine = (tracks.of(name)[:, kept] for name in ("log_rank", "cosine"))
    return float(ratio((rank[-1] - rank[0]).sum(), (cosine[0] - cosine[-1]).sum()))


def position_statistics(tracks: Tracks, kept: Inside) -> dict[str, float]:
    """Return the share of ranks that positions change less than twofold, by layer."""
    if "own" not in tracks.values:
        return {}
    plain = tracks.of("log_rank")
    shares = {}
    for name in ("own", "first"):
        change = np.abs(tracks.of("log_rank", name) - plain)[1:, kept]
        shares[f"ranks_kept_with_{name}_positions"] = float((change < TWOFOLD).mean())
    return shares


def running_statistics(
    tracks: Tracks, *, n_listed: int, apart: float
) -> Callable[[Int[np.ndarray, " drawn"]], dict[str, float]]:
    """A function from units to the statistics of content and function words in running texts."""

    def statistics(units: Int[np.ndarray, " drawn"]) -> dict[str, float]:
        inside = tracks.inside(units)
        content, function = (inside & (tracks.group == name) for name in (CONTENT, FUNCTION))
        rank, cosine = tracks.of("log_rank"), tracks.of("cosine")
        larger = probability_of_larger(rank[:, content], rank[:, function])
        larger_cosine = probability_of_larger(cosine[:, content], cosine[:, function])
        gap = rank[:, content].mean(axis=1) - rank[:, function].mean(axis=1)
        is_apart = np.flatnonzero(np.abs(larger[1:] - 0.5) >= apart - 0.5)
        last, n_blocks = len(rank) - 1, len(rank) - 1
        kinds = {CONTENT: content, FUNCTION: function}
        listed = {name: _listed(rank[last, kind], n_listed) for name, kind in kinds.items()}
        shares = {name: movement_shares(tracks, name, inside)[1] for name in (CONTENT, FUNCTION)}
        together = tracks.together[..., np.isin(tracks.text_unit, units)].mean(axis=2)
        return {
            "content_rank_larger_at_last": float(larger[last]),
            "function_words_listed_at_last": listed[FUNCTION],
            "content_words_listed_at_last": listed[CONTENT],
            "function_less_content_words_listed_at_last": listed[FUNCTION] - listed[CONTENT],
            "tokens_that_move_both_ways": both_ways(tracks, inside),
            "rank_tells_more_than_cosine": float(
                abs(larger[last] - 0.5) - abs(larger_cosine[last] - 0.5)
            ),
            "function_less_content_cosine_at_last": float(
                cosine[last, function].mean() - cosine[last, content].mean()
            ),
            **excursion_statistics(tracks, inside),
            # Content words are said to be farther: a gap in the other direction is none.
            "last_gap_less_largest_before": float(min(gap[last], gap[last] - gap[:last].max())),
            "first_layer_apart": float(is_apart[0] + 1) if len(is_apart) else np.nan,
            "first_layer_apart_share": (
                float(is_apart[0] + 1) / n_blocks if len(is_apart) else np.nan
            ),
            "content_movement_in_last_over_equal": float(shares[CONTENT][-1] * n_blocks),
            "function_movement_in_last_over_equal": float(shares[FUNCTION][-1] * n_blocks),
            "rank_per_cosine_content_less_function": (
                rank_per_cosine(tracks, content) - rank_per_cosine(tracks, function)
            ),
            "steps_in_one_direction": float(together[1:, 1].mean()),
            "states_closer_at_last": float(together[-1, 0] - together[0, 0]),
            **position_statistics(tracks, inside),
        }

    return statistics


def homonym_statistics(
    tracks: Tracks,
) -> Callable[[Int[np.ndarray, " drawn"]], dict[str, float]]:
    """Return a function from units to the statistic of homonyms beside other nouns of sentences."""

    def statistics(units: Int[np.ndarray, " drawn"]) -> dict[str, float]:
        contrasts = contrast(tracks, "none", CONTRASTS["homonym_one_sense"], tracks.inside(units))
        return {"homonym_rank_larger_at_last": float(contrasts[-1, 0])}

    return statistics


def _listed(log_rank: Float[np.ndarray, " token"], n_listed: int) -> float:
    return float((log_rank < np.log10(1 + n_listed)).mean())
