import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import embspace.geometry

LIBRARIES = {"numba", "numpy", "pandas", "scipy", "sklearn", "torch"}


def test_every_public_name_is_there():
    for name in embspace.geometry.__all__:
        assert getattr(embspace.geometry, name).__name__ == name
    assert dir(embspace.geometry) == embspace.geometry.__all__


def test_words_of_a_vector_are_read_from_the_package():
    embedding = np.eye(4, dtype=np.float32)
    vectors = np.array([[0, 3, 1, -2]], dtype=np.float32)
    readers = embspace.geometry.token_readers(embedding, "transpose")
    assert embspace.geometry.top_tokens(vectors, readers, 2).token.tolist() == [[1, 2]]
    assert embspace.geometry.keep_k(vectors, 2).tolist() == [[0, 3, 0, -2]]


@pytest.mark.parametrize(
    "module", ["alignment", "keep_k", "projection", "related", "vocabulary_pairs"]
)
def test_parameters_have_their_names_in_the_package(module: str):
    stub = Path(embspace.geometry.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert f"from .parameters.{module} import " in stub


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="attribute cosinus"):
        embspace.geometry.cosinus  # noqa: B018


def test_importing_the_package_loads_no_library():
    code = f"import sys, embspace.geometry; print(*{LIBRARIES} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.split() == []
