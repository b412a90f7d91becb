import pytest

from embspace.geometry.measures.declaration import FAMILIES, Family
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.layer_protocol import measures_of
from tests.measure.layer_corpora import protocol


@pytest.mark.parametrize("family", FAMILIES)
def test_each_measure_of_the_family_is_either_slow_or_not(family: Family) -> None:
    first, *others = [
        measure.name for measure in profiled_measures().values() if measure.family == family
    ]
    settings = protocol(family, value_only=[first])
    assert [measure.name for measure in measures_of(settings, slow=True)] == [first]
    assert [measure.name for measure in measures_of(settings, slow=False)] == others


def test_a_slow_measure_of_another_family_is_none_of_this() -> None:
    settings = protocol("hubs", value_only=["mean_cosine"])
    assert not measures_of(settings, slow=True)
    assert len(measures_of(settings, slow=False)) == 3
