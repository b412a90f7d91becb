"""Explains errors on the way to the model hub, and says what to do."""

import errno
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import httpx2
from huggingface_hub import constants, get_token
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
)

from embspace.errors import InputError, reason_of
from embspace.settings.model import HubFiles, model_file

TRIES = 4  # without a byte of progress between them
PAUSE = 1.0  # seconds before the second; each further one waits twice as long
PATIENCE = 60.0  # a hub that asks for a longer wait is not asked again
BUSY = {408, 429, 500, 502, 503, 504}
OFFLINE = (
    "without a network: fetch where there is one, with HF_HOME set to a folder of its own, then "
    "copy that folder and models.lock here and set HF_HOME to it"
)
Result = TypeVar("Result")


def patiently(action: Callable[[], Result], progress: Callable[[], int] = lambda: 0) -> Result:
    """Return what `action` returns; call it again after a cut, a time-out or a busy hub.

    Gives up after `TRIES` failures between which `progress` has not grown.
    """
    failures, before = 0, progress()
    while True:
        try:
            return action()
        except (httpx2.TransportError, HfHubHTTPError) as error:
            grown = (after := progress()) > before
            failures, before = 1 if grown else failures + 1, after
            wait = max(PAUSE * 2 ** (failures - 1), _asked_wait(error))
            if not _may_pass(error) or failures == TRIES or wait > PATIENCE:
                raise
        time.sleep(wait)


@contextmanager
def input_errors(name: str, files: HubFiles) -> Iterator[None]:
    """Raise errors of hub, network and disk as an `InputError` about the model `name`."""
    where = f"{model_file(name)}: {files.repository}"
    try:
        yield
    except HfHubHTTPError as error:
        raise InputError(_refusal(where, name, files, error)) from error
    except OfflineModeIsEnabled:
        raise InputError(
            f"{where}: not asked for, since HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set; unset "
            f"it, or {OFFLINE}"
        ) from None
    except (httpx2.HTTPError, httpx2.InvalidURL, LocalEntryNotFoundError) as error:
        # The library says that a file is not there, and gives the failed request as the cause.
        reason = reason_of(error.__cause__ or error)
        raise InputError(
            f"{where}: the hub at {constants.ENDPOINT} cannot be reached: {reason}; {OFFLINE}"
        ) from error
    # A login page of a network in the hub's place, or a listing that is none.
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{where}: {constants.ENDPOINT} answers as no hub would: {reason_of(error)}"
        ) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise InputError(no_space(where)) from error
        raise InputError(f"{where}: cannot be kept: {reason_of(error)}") from error


def no_space(where: str) -> str:
    """Return the message for a full disk."""
    return (
        f"{where}: no space left in {constants.HF_HUB_CACHE}; make room, or set HF_HOME to another "
        "folder. What was downloaded stays there, and the next `embspace fetch` takes the rest"
    )


def _refusal(where: str, name: str, files: HubFiles, error: HfHubHTTPError) -> str:
    """Return why the hub answered, but not with the requested content."""
    hub = constants.ENDPOINT
    if isinstance(error, GatedRepoError):
        page = f"{hub}/{files.repository}"
        if get_token():
            return f"{where}: the token of this machine has no access; ask for it at {page}"
        return (
            f"{where}: only for who accepted its terms at {page} and says so by a token: "
            "`hf auth login`, or the variable HF_TOKEN"
        )
    if isinstance(error, RepositoryNotFoundError):
        hidden = (
            "or it is hidden from the token of this machine"
            if get_token()
            else ("or it is private and needs a token: `hf auth login`, or the variable HF_TOKEN")
        )
        return (
            f"{model_file(name)}: key 'repository': found {files.repository!r}, of which {hub} "
            f"knows no model, {hidden}"
        )
    status = error.response.status_code
    if status == 401:
        return f"{where}: {hub} does not take the token of this machine: {reason_of(error)}"
    return f"{where}: {hub} answers {status}: {reason_of(error)}"


def _may_pass(error: Exception) -> bool:
    return not isinstance(error, HfHubHTTPError) or error.response.status_code in BUSY


def _asked_wait(error: Exception) -> float:
    """Return how many seconds a busy hub asks to wait; 0 for no number, or a date."""
    if not isinstance(error, HfHubHTTPError):
        return 0.0
    value = error.response.headers.get("Retry-After", "")
    return float(value) if value.isdecimal() else 0.0
