"""The harness itself notices what it is there to notice."""

from pathlib import Path
from typing import Any

from tests.browser.conftest import Network


def test_a_page_from_disk_runs(page: Any, tmp_path: Path):
    file = tmp_path / "page.html"
    file.write_text("<p id=p>a</p><script>document.getElementById('p').textContent='b'</script>")
    page.goto(file.as_uri())
    assert page.locator("#p").text_content() == "b"


def test_webgl_draws_in_software(page: Any):
    page.goto("about:blank")
    assert page.evaluate("!!document.createElement('canvas').getContext('webgl')")


def test_a_call_out_is_refused_and_noted(page: Any, network: Network):
    page.set_content('<img src="https://example.org/a.png">')
    page.wait_for_timeout(200)
    assert network.refused == ["https://example.org/a.png"]
    assert any("ERR_FAILED" in error for error in network.errors)
    network.refused.clear()
    network.errors.clear()


def test_an_error_of_a_script_is_noted(page: Any, network: Network):
    page.goto("about:blank")
    page.evaluate("setTimeout(() => { throw Error('broken') }, 0)")
    page.evaluate("console.error('complained')")
    page.wait_for_timeout(200)
    assert sorted(network.errors) == ["broken", "complained"]
    network.errors.clear()


def test_only_own_servers_are_allowed():
    network = Network({"http://127.0.0.1:7860"})
    assert network.allows("http://127.0.0.1:7860/config")
    assert network.allows("blob:null/1")
    assert not network.allows("http://127.0.0.1:7861/config")
    assert not network.allows("https://fonts.gstatic.com/a.woff2")
