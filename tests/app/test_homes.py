from pathlib import Path

import pytest

from embspace.app.homes import expanded
from embspace.errors import InputError


def test_a_user_that_is_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert expanded("~/a") == tmp_path / "a" and expanded(Path("a")) == Path("a")
    with pytest.raises(InputError, match="~nobody_is_called_so/a: found '~nobody_is_called_so'"):
        expanded("~nobody_is_called_so/a")
