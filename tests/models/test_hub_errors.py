import errno
import time

import httpx2
import pytest
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

from embspace.errors import InputError
from embspace.models import hub_errors
from embspace.models.hub_errors import TRIES, input_errors, patiently
from embspace.settings.model import HubFiles

FILES = HubFiles(source="hub", repository="maker/tiny")


def answered(status: int, headers: dict[str, str] | None = None) -> HfHubHTTPError:
    request = httpx2.Request("GET", "http://hub")
    response = httpx2.Response(status, headers=headers, request=request)
    return HfHubHTTPError("busy", response=response)


class Failing:
    """Raises each error once, then returns how often it was called."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    def __call__(self) -> int:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.calls


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited, without waiting."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    return waited


@pytest.mark.parametrize(
    "error", [httpx2.ReadError("reset"), httpx2.ReadTimeout("slow"), answered(503), answered(429)]
)
def test_what_may_pass_is_tried_again_after_longer_and_longer_pauses(error, pauses):
    assert patiently(Failing(error, error, error)) == 4
    assert pauses == [1, 2, 4]


@pytest.mark.parametrize("error", [answered(404), answered(403), OSError("disk")])
def test_what_will_not_pass_ends_at_once(error, pauses):
    action = Failing(error)
    with pytest.raises(type(error)):
        patiently(action)
    assert (action.calls, pauses) == (1, [])


def test_after_so_many_failures_it_ends():
    action = Failing(*[httpx2.ConnectError("refused")] * 9)
    with pytest.raises(httpx2.ConnectError):
        patiently(action)
    assert action.calls == TRIES


def test_progress_starts_the_count_anew(pauses):
    bytes_there = iter(range(100))
    action = Failing(*[httpx2.ReadError("reset")] * 9)
    assert patiently(action, progress=lambda: next(bytes_there)) == 10
    assert set(pauses) == {1}


def test_the_wait_that_a_hub_asks_for_is_kept_up_to_a_minute(pauses):
    assert patiently(Failing(answered(429, {"Retry-After": "30"}))) == 2
    assert pauses == [30]
    with pytest.raises(HfHubHTTPError):
        patiently(Failing(answered(429, {"Retry-After": "3600"})))


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OfflineModeIsEnabled("no"), "HF_HUB_OFFLINE .*is set; unset it, or without a network: "),
        (httpx2.ConnectError("refused"), "cannot be reached: refused; without a network: "),
        (httpx2.ProxyError("502"), "cannot be reached: 502; "),
        (answered(503), "answers 503: busy"),
        (answered(401), "does not take the token of this machine: busy"),
        (ValueError("<html>"), "answers as no hub would: <html>"),
        (OSError(errno.ENOSPC, "full"), "maker/tiny: no space left in .*make room"),
        (OSError(errno.EACCES, "no entry"), r"cannot be kept: \[Errno 13\] no entry"),
    ],
)
def test_each_failure_has_its_own_words(error: Exception, message: str):
    with (
        pytest.raises(
            InputError, match=rf"^conf/model/tiny\.yaml: maker/tiny: .*{message}|{message}"
        ),
        input_errors("tiny", FILES),
    ):
        raise error


def test_a_file_that_the_library_does_not_find_has_its_reason_from_the_network():
    def fail() -> None:
        with input_errors("tiny", FILES):
            raise LocalEntryNotFoundError("no such file") from httpx2.ReadTimeout("slow")

    with pytest.raises(InputError, match="cannot be reached: slow; "):
        fail()


def test_an_error_with_its_own_words_keeps_them():
    with pytest.raises(InputError, match="^said already$"), input_errors("tiny", FILES):
        raise InputError("said already")


def test_pauses_are_in_seconds():
    assert hub_errors.PAUSE >= 1
