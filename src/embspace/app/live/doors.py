"""Limits who may ask the app, and for what: names of hosts, origins of pages, and no files."""

import json
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from embspace.errors import InputError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
WILDCARDS = ("0.0.0.0", "::", "")  # every address of this machine, and no name of it
MOST_BYTES = 2**22  # of a request: two lists of pairs, each character an escape of six
# What the page sends to; gradio's other addresses take files, or write them.
ASKED = re.compile(
    r"/login/?|/gradio_api/(queue/join|cancel|reset|run/[^/]+|call/[^/]+|api/[^/]+)/?"
)
UNREACHED = re.compile(
    r"(/gradio_api)?/(upload|proxy=|file=|file/|stream/|deep_link|vibe|run-history)"
)
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:@/\[\]]+)(:\d+)?")
PREFLIGHT = {
    b"access-control-allow-methods": b"GET, POST, OPTIONS",
    b"access-control-allow-headers": b"content-type",
    b"access-control-max-age": b"600",
}
HEADERS = {
    b"content-security-policy": b"frame-ancestors 'self'",
    b"x-frame-options": b"SAMEORIGIN",
    b"x-content-type-options": b"nosniff",
    b"cross-origin-resource-policy": b"same-origin",
}
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True)
class Guests:
    """The hosts and pages that may reach an app, beside this machine under its own names."""

    hosts: frozenset[str]
    """Names in the header `Host`, without a port, in small letters."""
    origins: frozenset[str] = frozenset()
    """Pages allowed to read answers: `http://name:port`; the app's own pages always may."""
    proxies: tuple[str, ...] = ()
    """Addresses whose `X-Forwarded-For` is trusted."""


def guests_of(
    host: str, hosts: Iterable[str], origins: Iterable[str], proxies: Iterable[str]
) -> Guests:
    """Return who may reach an app that listens at `host`, by the options of the command.

    Raises:
        InputError: naming the option, and the value that is no name of a host or no origin.
    """
    own = [*LOOPBACK, *([] if host in WILDCARDS else [host.lower()])]
    for name in (named := [name.lower() for name in hosts]):
        if not HOST.fullmatch(_bracketed(name)) or _name(_bracketed(name)) != name:
            raise InputError(f"--allow-host: found '{name}', allowed: a name without port and path")
    for origin in (pages := [origin.lower().rstrip("/") for origin in origins]):
        parts = urlsplit(origin)
        is_whole = parts.scheme in ("http", "https") and HOST.fullmatch(parts.netloc)
        if not is_whole or parts.path or parts.query or parts.fragment:
            raise InputError(f"--allow-origin: found '{origin}', allowed: such as http://name:8000")
    return Guests(frozenset({*own, *named}), frozenset(pages), tuple(proxies))


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


def _name(host: str) -> str:
    """Return the name in a header `Host`, "" if it is not valid."""
    parts = HOST.fullmatch(host.lower())
    return parts[1].strip("[]") if parts else ""


def lifespan_of(guests: Guests) -> Callable[[Any], Any]:
    """Return a function for putting the doors in front of an app before the first connection."""

    @asynccontextmanager
    async def lifespan(app: Any) -> Any:
        app.middleware_stack = Doors(app.middleware_stack, guests)
        yield

    return lifespan


class Doors:
    """Refuses requests that do not come from the app's page, and says in a sentence why."""

    def __init__(self, app: Application, guests: Guests) -> None:
        self.app, self.guests = app, guests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, or refuse it with an answer."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = [(name.lower(), value) for name, value in scope["headers"]]
        origin = _origin(headers)
        extra = dict(HEADERS)
        if origin in self.guests.origins:
            extra |= {
                b"access-control-allow-origin": origin.encode(),
                b"vary": b"Origin",
                b"cross-origin-resource-policy": b"cross-origin",
            }
        send = _with_headers(send, extra)
        if refusal := self._refusal(scope, headers, origin):
            await _answer(scope, send, *refusal)
        elif scope["type"] == "http" and scope["method"] == "OPTIONS":
            more = PREFLIGHT if origin in self.guests.origins else {}
            await _answer(scope, send, 200, "", more)
        elif scope["type"] == "http" and scope["method"] == "POST":
            await self._posted(self._inside(scope, headers), receive, send)
        else:
            await self.app(self._inside(scope, headers), receive, send)

    def _refusal(
        self, scope: Scope, headers: list[tuple[bytes, bytes]], origin: str
    ) -> tuple[int, str] | None:
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        if len(hosts) != 1 or _name(hosts[0]) not in self.guests.hosts:
            shown = ", ".join(hosts)[:200] or "none"
            return 403, f"Host: found {shown!r}; name it by --allow-host when the app is started"
        own = {f"{scheme}://{hosts[0].lower()}" for scheme in ("http", "https")}
        if origin and origin not in own | self.guests.origins:
            return 403, f"Origin: found {origin[:200]!r}; name it by --allow-origin"
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD", "OPTIONS", "POST"):
            return 405, f"found {scope['method']!r}, allowed: GET, HEAD, POST"
        path = str(scope["path"])
        is_asked = scope["type"] != "http" or scope["method"] != "POST" or ASKED.fullmatch(path)
        if not is_asked or UNREACHED.match(path):
            return 403, f"{path[:200]}: this app takes and serves no files"
        return None

    def _inside(self, scope: Scope, headers: list[tuple[bytes, bytes]]) -> Scope:
        """Return a request without the headers that a proxy sets, unless a proxy was named."""
        if self.guests.proxies:
            return scope
        kept = [
            (name, value)
            for name, value in headers
            if not name.startswith(b"x-forwarded-") and name != b"forwarded"
        ]
        return {**scope, "headers": kept}

    async def _posted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what is sent if it is small and contains only texts and numbers."""
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > MOST_BYTES:
                await _answer(scope, send, 413, f"found more than {MOST_BYTES:,} bytes")
                return
            if message["type"] == "http.disconnect":
                return
            if not message.get("more_body"):
                break
        if not str(scope["path"]).startswith("/login") and (reason := flaw_of_body(body)):
            await _answer(scope, send, 422, reason)
            return
        given = False

        async def replay() -> MutableMapping[str, Any]:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, replay, send)


def flaw_of_body(body: bytes) -> str:
    """Return the reason why a request cannot come from the page, "" if none.

    An object among the inputs could name a file, for gradio to fetch from an address.
    """
    if not body:
        return ""
    try:
        content = json.loads(body)
        if not isinstance(content, dict):
            return "found no object of keys and values"
        given = {key: value for key, value in content.items() if key != "event_data"}
        return "data: found an object, allowed: texts and numbers" if _objects(given) else ""
    except RecursionError:
        return "found lists in lists without end"
    except ValueError:
        return "found no JSON"


def _objects(given: dict[str, Any]) -> bool:
    """Return whether an object is among values, or in lists of values."""
    values = list(given.values())
    while values:
        value = values.pop()
        if isinstance(value, dict):
            return True
        if isinstance(value, list):
            values += value
    return False


def _origin(headers: list[tuple[bytes, bytes]]) -> str:
    """Return the origin of the page that asks; "" if the browser names none."""
    origins = {value.decode("latin-1").lower() for name, value in headers if name == b"origin"}
    return origins.pop() if len(origins) == 1 else " ".join(sorted(origins))


def _with_headers(send: Send, extra: dict[bytes, bytes]) -> Send:
    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            kept = [
                (name, value)
                for name, value in message.get("headers", [])
                if name.lower() not in extra and not name.lower().startswith(b"access-control-")
            ]
            own = [
                (name, value)
                for name, value in message.get("headers", [])
                if name.lower() in PREFLIGHT
            ]
            message = {**message, "headers": [*kept, *own, *extra.items()]}
        await send(message)

    return sent


async def _answer(
    scope: Scope, send: Send, status: int, said: str, more: dict[bytes, bytes] | None = None
) -> None:
    """Answer with a message in the format that gradio's page and its clients read."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": said[:100]})
        return
    body = json.dumps({"detail": said}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    start = {"type": "http.response.start", "status": status}
    await send({**start, "headers": [*headers, *(more or {}).items()]})
    await send({"type": "http.response.body", "body": body})
