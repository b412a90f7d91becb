import numpy as np
import pytest
from scipy import stats

from embspace.measure.blocks.information_stream_statistics import (
    ISOTROPIC,
    MEASURES,
    measures_of_point,
    stream_statistics,
)
from tests.models.stream.tiny import tiny

RNG = np.random.default_rng(0)


def measured(x: np.ndarray) -> dict[str, float]:
    """The measures of one head's vectors."""
    return dict(zip(MEASURES, measures_of_point(x[None])[0].tolist(), strict=True))


def test_identical_rows_are_a_cone():
    measures = measured(np.tile([3.0, -4.0, 1.0], (7, 1)))
    assert measures["cone_index"] == pytest.approx(7)
    assert measures["mean_resultant_length"] == pytest.approx(1)
    assert measures["mean_cosine"] == pytest.approx(1)
    assert measures["mean_norm"] == pytest.approx(26**0.5)


def test_rows_of_the_identity_are_none():
    measures = measured(np.eye(16))
    assert measures["cone_index"] == pytest.approx(4)
    assert measures["mean_cosine"] == pytest.approx(0, abs=1e-12)


def test_opposite_rows_cancel():
    x = RNG.normal(size=(5, 8))
    measures = measured(np.concatenate([x, -x]))
    assert measures["cone_index"] == pytest.approx(0, abs=1e-12)
    assert measures["mean_cosine"] == pytest.approx(-1 / 9)


def test_lengths_and_rotation_change_no_alignment():
    x = RNG.normal(1, 1, size=(20, 6))
    rotation = np.linalg.qr(RNG.normal(size=(6, 6)))[0]
    scaled = x * RNG.uniform(0.1, 9, size=(20, 1)) @ rotation
    for measure in ("cone_index", "mean_cosine", "mean_resultant_length"):
        assert measured(scaled)[measure] == pytest.approx(measured(x)[measure])


def test_column_sums_are_of_the_vectors_themselves():
    x = RNG.normal(size=(30, 50)) * RNG.uniform(1, 9, size=(30, 1))
    x[:, 3] += 40
    measures = measured(x)
    sums = x.sum(axis=0)
    z = stats.zscore(sums)
    assert measures["largest_column_sum"] == pytest.approx(z[3])
    assert measures["column_sum_excess_kurtosis"] == pytest.approx(stats.kurtosis(sums))
    assert measures["coordinate_excess_kurtosis"] == pytest.approx(stats.kurtosis(x.ravel()))


@pytest.mark.parametrize("model_type", ["bert", "modernbert", "gpt2", "llama"])
def test_the_cone_index_is_the_mean_cosine_at_every_point(model_type: str):
    texts = [np.arange(5, 5 + n) for n in (11, 4)]
    stream = stream_statistics(tiny(model_type), texts, 20, "cpu")
    assert stream.n_tokens.tolist() == [11, 4]
    of = {measure: number for number, measure in enumerate(MEASURES)}
    n = stream.n_tokens[:, None].astype(float)
    for values in stream.values.values():
        cone = values[:, :, of["cone_index"]]
        cosine = values[:, :, of["mean_cosine"]]
        assert cone**2 == pytest.approx(n + n * (n - 1) * cosine)
        assert values[:, :, of["mean_resultant_length"]] == pytest.approx(cone / n)


def test_independent_directions_have_the_values_that_are_said():
    drawn = RNG.normal(size=(400, 60, 32))
    values = np.array([measures_of_point(vectors[None])[0] for vectors in drawn])
    measures = dict(zip(MEASURES, values.T, strict=True))
    said = {name: ISOTROPIC[name](np.full(3, 60), 32) for name in MEASURES}
    assert np.sqrt(np.mean(measures["cone_index"] ** 2)) == pytest.approx(
        said["cone_index"], rel=0.02
    )
    assert measures["mean_cosine"].mean() == pytest.approx(said["mean_cosine"], abs=0.001)
    assert said["mean_resultant_length"] == pytest.approx(60**-0.5)
    assert np.median(measures["largest_column_sum"]) == pytest.approx(
        said["largest_column_sum"], rel=0.05
    )
    assert abs(measures["coordinate_excess_kurtosis"].mean()) < 0.02
    assert np.isnan(said["mean_norm"])


def test_a_mean_over_heads_is_that_of_a_point():
    texts = [np.arange(5, 12)]
    stream = stream_statistics(tiny("bert"), texts, 20, "cpu")
    values = stream.values[2, "value"]
    assert values.shape == (1, 4, len(MEASURES))
    assert stream.head_means((2, "value")) == pytest.approx(values.mean(axis=1))
    assert stream.n_dimensions[2, "value"] == 6
    assert stream.n_dimensions[2, "output"] == 24
