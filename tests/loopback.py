"""A server on this machine that answers as a test tells it, and remembers what it was asked."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

# A proxy that the environment names cannot reach this machine.
os.environ["no_proxy"] = ",".join(filter(None, [os.environ.get("no_proxy"), "127.0.0.1"]))


@dataclass(frozen=True)
class Request:
    """What came in, and when."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    time: float


@dataclass(frozen=True)
class Answer:
    """What goes out. With `cut`, the connection ends after so many bytes of the body.

    With `endless`, no length is told, and the body is sent again and again until nobody listens.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    endless: bool = False


@dataclass
class Server:
    """Where it listens and what it was asked so far."""

    address: str
    requests: list[Request] = field(default_factory=list)


@contextmanager
def serving(answer: Callable[[Request], Answer]) -> Iterator[Server]:
    """A server that gives `answer` to each request."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _respond(self) -> None:
            parts = urlsplit(self.path)
            query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {key.lower(): value for key, value in self.headers.items()}
            request = Request(self.command, parts.path, query, headers, body, time.monotonic())
            server.requests.append(request)
            given = answer(request)
            length = {} if given.endless else {"Content-Length": str(len(given.body))}
            self.send_response(given.status)
            for key, value in {**length, **given.headers}.items():
                self.send_header(key, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(given.body[: given.cut])
            with suppress(OSError):
                while given.endless:
                    self.wfile.write(given.body)
            self.close_connection = given.endless or given.cut is not None

        do_GET = do_HEAD = do_POST = _respond  # noqa: N815

        def log_message(self, format: str, *arguments: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        server = Server(f"http://127.0.0.1:{listener.server_port}")
        thread = threading.Thread(target=listener.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listener.shutdown()
            thread.join()


def closed_address() -> str:
    """An address on this machine where nobody listens."""
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as listener:
        return f"http://127.0.0.1:{listener.server_port}"
