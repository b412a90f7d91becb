import numpy as np

from embspace.geometry.features.feature_set import FeatureSet


def test_a_feature_is_dead_if_no_vector_lights_it():
    activations = np.array([[0.0, 0.0, 2.0], [0.0, 1.0, 0.0]])
    features = FeatureSet(np.eye(3), np.eye(3), activations, 1.0)
    assert features.is_alive.tolist() == [False, True, True]
