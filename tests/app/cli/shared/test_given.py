from pathlib import Path

import pytest

from embspace.app.cli.shared.given import given_of
from embspace.errors import InputError


def test_what_is_not_said_is_no_argument(tmp_path: Path):
    assert given_of(None, None) == {}
    assert given_of(["*.x"], None) == {"given": {"allow_unused": ["*.x"]}}
    keys = given_of(None, str(tmp_path))
    assert keys == {"given": {"tokenizer": {"source": "path", "path": str(tmp_path)}}}
    with pytest.raises(InputError, match="--tokenizer: found .*nothing"):
        given_of(None, str(tmp_path / "nothing"))
