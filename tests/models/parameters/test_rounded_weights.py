import numpy as np
import pytest

from embspace.geometry.parameters.few_bits import rounded_to_bits
from embspace.models.parameters.rounded_weights import with_rounded_weights
from tests.measure.attention.reading import cached_reader


def test_matrices_are_rounded_and_vectors_and_the_given_model_stay():
    module = cached_reader().module
    before = {name: p.detach().numpy().copy() for name, p in module.named_parameters()}
    rounded, error = with_rounded_weights(module, 3, 8)
    change = length = 0.0
    for name, values in rounded.named_parameters():
        whole, few = before[name], values.detach().numpy()
        if whole.ndim == 2:
            assert few == pytest.approx(rounded_to_bits(whole, 3, 8), abs=1e-6)
            change += np.square(few - whole).sum()
            length += np.square(whole).sum()
        else:
            assert np.array_equal(few, whole)
    assert error == pytest.approx(np.sqrt(change / length), rel=1e-4)
    assert not rounded.training
    for name, values in module.named_parameters():
        assert np.array_equal(values.detach().numpy(), before[name])
