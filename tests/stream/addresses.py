"""Files of texts at addresses of this machine: a hub's data set, and a plain web server."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from tests.loopback import Answer, Request, Server, serving
from tests.prepare.sources.fake_hub import REPOSITORY, hub


def ranged(request: Request, answer: Answer) -> Answer:
    """The bytes that a request asks for, of a whole answer."""
    span = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("range", ""))
    if answer.status != 200 or span is None:
        return answer
    total = len(answer.body)
    first, last = int(span[1]), min(int(span[2] or total), total - 1)
    if first >= total:
        return Answer(status=416, headers={"Content-Range": f"bytes */{total}"})
    headers = answer.headers | {"Content-Range": f"bytes {first}-{last}/{total}"}
    return Answer(answer.body[first : last + 1], status=206, headers=headers)


def data_sets(request: Request) -> Answer:
    """The hub's answer, also to what its file system asks: the repository, and parts of files."""
    if request.path == f"/api/datasets/{REPOSITORY}":
        request = replace(request, path=f"{request.path}/revision/main")
    return ranged(request, hub(request))


@contextmanager
def serving_files(files: dict[str, bytes]) -> Iterator[Server]:
    """A web server with some files, which gives parts of them, and lists them on a page."""

    def answer(request: Request) -> Answer:
        if request.path == "/":
            links = "".join(f'<a href="{name}">{name}</a>' for name in files)
            return Answer(links.encode(), headers={"Content-Type": "text/html"})
        content = files.get(request.path.removeprefix("/"))
        if content is None:
            return Answer(status=404)
        return ranged(request, Answer(content, headers={"Accept-Ranges": "bytes"}))

    with serving(answer) as server:
        yield server
