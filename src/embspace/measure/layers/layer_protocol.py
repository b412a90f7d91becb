"""Settings of the measures of a model's layers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from pydantic import PositiveInt

from embspace.clouds.layers import Change
from embspace.geometry.measures.declaration import Definition, Family
from embspace.geometry.measures.registry import profiled_measures
from embspace.settings.schema import Strict
from embspace.settings.types import Share


class Draws(Strict):
    """The draws of texts and nulls on which intervals, convergence and null values rest."""

    n_half_samples: PositiveInt
    """Draws of half of the texts, for the intervals."""
    level: Share
    tolerance: Share
    """The largest relative change between halves that still counts as converged."""
    n_null_draws: PositiveInt
    shares: list[Share]
    """Shares of the texts, for the curve by number of texts."""
    n_share_draws: PositiveInt


@dataclass(frozen=True, eq=False)
class Protocol:
    """The settings of a stage; a setting without a value does not concern the stage's families."""

    families: tuple[Family, ...]
    changes: Sequence[Change]
    rng: np.random.Generator
    """Only its seed counts: a corpus has the same halves at all layers."""
    most_layers: int | None = None
    """Layers of a deeper model are taken in steps; None: all layers of all models."""
    n_half_samples: int = 0
    level: float = 0.95
    tolerance: float = 0.05
    n_null_draws: int = 0
    shares: Sequence[float] = ()
    """Shares of the texts, for the curve by number of texts."""
    n_share_draws: int = 0
    value_only: Sequence[str] = ()
    """Measures too slow for halves and draws: only the value of the unchanged vectors."""
    without_draws: Sequence[str] = ()
    """Measures too slow for draws of nulls and of fewer texts, but not for halves."""
    few_batches: Sequence[str] = ()
    """Measures of many neighbors, taken within `n_batches_of_changes` batches at most."""
    n_top: int = 0
    """The number of principal components removed by all-but-the-top."""
    batch_size: int | None = None
    """The number of vectors among which neighbors are searched; None: no neighbors, all vectors."""
    n_batches_of_changes: int | None = None
    """The largest number of batches of changed vectors; None: all, as for unchanged vectors."""
    over_batches: Mapping[str, int] = field(default_factory=dict)
    """Measures of all vectors that are also taken over batches, in order; batch size by measure."""
    position_band: int = 1
    """How many positions of a window count as one when tokens are exchanged between texts."""


def measures_of(protocol: Protocol, *, slow: bool) -> list[Definition]:
    """Return the measures of the families too slow for halves (`slow`), or all the others."""
    return [
        measure
        for measure in profiled_measures().values()
        if measure.family in protocol.families and (measure.name in protocol.value_only) == slow
    ]


def drawn_measures(protocol: Protocol) -> list[Definition]:
    """Return the measures of the families that are quick enough for draws."""
    quick = measures_of(protocol, slow=False)
    return [measure for measure in quick if measure.name not in protocol.without_draws]
