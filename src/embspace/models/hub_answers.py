"""Sends requests to the API of the model hub, and takes no answer that has no end."""

from collections.abc import Mapping
from typing import Any

import httpx2
from huggingface_hub import constants, get_session, hf_raise_for_status
from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

from embspace.files.remote import ANSWER, Pace


def ask_hub(path: str, query: Mapping[str, str]) -> Any:
    """Return the JSON of the hub's answer.

    Raises:
        HfHubHTTPError: if the hub refuses.
        InputError: if the answer is larger, or takes longer, than `ANSWER` allows.
        ValueError: if the answer is no JSON.
    """
    url = f"{constants.ENDPOINT}/api/{path}"
    headers = hub_headers()
    seconds = float(constants.HF_HUB_DOWNLOAD_TIMEOUT)
    with get_session().stream("GET", url, params=query, headers=headers, timeout=seconds) as answer:
        whole = read_answer(answer)
    hf_raise_for_status(whole)
    return whole.json()


def hub_headers() -> dict[str, str]:
    """Return the headers of a request: the token, if any, and no compression."""
    return build_hf_headers(library_name="embspace") | {"Accept-Encoding": "identity"}


def read_answer(answer: httpx2.Response) -> httpx2.Response:
    """Return an answer with all content, which the library would read without a limit.

    Raises:
        InputError: as `ask_hub`.
    """
    url = str(answer.url)
    pace, content = Pace(url, ANSWER), bytearray()
    for part in answer.iter_bytes():
        content += part
        pace.count(len(part))
    headers = {key: value for key, value in answer.headers.items() if key != "content-encoding"}
    return httpx2.Response(
        answer.status_code, headers=headers, content=bytes(content), request=answer.request
    )
