"""A headless chromium whose network is cut: what a page asks for elsewhere fails the test."""

import os
import shutil
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request, Route

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
LOCAL_SCHEMES = ("file", "data", "blob", "about")
# Names are not even looked up: websockets and workers pass no route of a page.
ARGUMENTS = (
    *("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


@dataclass
class Network:
    """What a page may ask for, and what it asked for or complained of besides."""

    origins: set[str] = field(default_factory=set)
    """Servers of the test itself, such as `http://127.0.0.1:7860`."""
    refused: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    requests: list[str] = field(default_factory=list)
    """What came of every request, in the order of answers."""

    def allows(self, address: str) -> bool:
        """Return whether an address is on this machine, and a test has opened it."""
        parts = urlsplit(address)
        return parts.scheme in LOCAL_SCHEMES or f"{parts.scheme}://{parts.netloc}" in self.origins

    def pass_or_refuse(self, route: "Route", request: "Request") -> None:
        """Let a request through, or abort and remember it."""
        if self.allows(request.url):
            route.continue_()
        else:
            self.refused.append(request.url)
            route.abort()


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """Debian's chromium, which draws WebGL in software."""
    from playwright.sync_api import sync_playwright

    if not Path(CHROMIUM).exists():
        pytest.exit(f"{CHROMIUM}: not found; install it: apt-get install chromium", returncode=1)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield chromium
        chromium.close()


@pytest.fixture
def network() -> Network:
    """The list of allowed origins, which a test with a server adds to."""
    return Network()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Say of a test that failed what its page showed, and what it had asked for at last."""
    report = yield
    page = getattr(item, "funcargs", {}).get("page")
    if report.when == "call" and report.failed and page and not page.is_closed():
        requests = "\n".join(item.funcargs["network"].requests[-20:])
        report.sections += [("the page", page.inner_text("body")), ("its requests", requests)]
    return report


@pytest.fixture
def page(browser: "Browser", network: Network) -> Iterator["Page"]:
    """A page of 1200 by 900 pixels. In the end, it asked for nothing else and had no error."""
    context = browser.new_context(
        viewport={"width": 1200, "height": 900}, accept_downloads=True, service_workers="block"
    )
    context.route("**/*", network.pass_or_refuse)
    opened = context.new_page()
    opened.on("console", lambda said: _note_console(said, network))
    for event in ("requestfinished", "requestfailed"):
        opened.on(event, lambda request, event=event: _note_request(event, request, network))
    opened.on("pageerror", lambda error: network.errors.append(str(error)))
    yield opened
    context.close()
    assert network.refused == []
    assert network.errors == []


def _note_request(event: str, request: "Request", network: Network) -> None:
    seconds = time.monotonic() - network.started
    network.requests.append(f"{seconds:.2f} s {event} {request.method} {request.url[:200]}")


def _note_console(said: Any, network: Network) -> None:
    if said.type == "error":
        network.errors.append(f"{said.text} {said.location.get('url', '')}".strip())
