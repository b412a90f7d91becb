import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from embspace.app.explorer.fragment_of import SCRIPTS, as_inert_json, explorer_of
from embspace.app.page.fragment import Fragment
from tests.app.explorer.trees import HOSTILE, page_with, read_data, write_tree


@pytest.fixture(scope="module")
def fragment(tmp_path_factory: pytest.TempPathFactory) -> Fragment:
    """The explorer of a tree with hostile tokens."""
    explorer = explorer_of(write_tree(tmp_path_factory.mktemp("tree")), "tiny")
    assert explorer is not None
    return explorer


def test_a_tree_without_coordinates_has_no_explorer(tmp_path: Path):
    assert explorer_of(tmp_path, "tiny") is None


@pytest.mark.parametrize("token", HOSTILE)
def test_a_hostile_token_comes_back_as_it_was_and_ends_no_element(token: str):
    text = as_inert_json([token])
    assert json.loads(text) == [token]
    assert not set(text) & set("<>&\u2028\u2029")


def test_a_number_that_json_lacks_is_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_inert_json([float("nan")])


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def test_the_page_has_the_elements_of_embspace_alone(fragment: Fragment):
    parser = _Elements()
    parser.feed(page_with(fragment))
    scripts = [attributes for tag, attributes in parser.elements if tag == "script"]
    types = ["application/json", "text/plain", None]  # two are data, the last one runs
    assert [attributes.get("type") for attributes in scripts] == types
    assert not [tag for tag, _ in parser.elements if tag in ("img", "link", "iframe", "object")]
    assert not any(
        name.startswith("on") for _, attributes in parser.elements for name in attributes
    )


def test_the_data_names_all_tokens(fragment: Fragment):
    content, arrays = read_data(fragment.data)
    assert content["sets"][0]["names"][: len(HOSTILE)] == list(HOSTILE)
    assert len(arrays) == len(content["arrays"])


def test_no_script_makes_code_or_markup_of_texts_or_asks_for_anything(fragment: Fragment):
    (script,) = fragment.scripts
    forbidden = ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(")
    forbidden += ("fetch(", "XMLHttp", "import(", "http:", "https:", "WebSocket", "sendBeacon")
    assert not [word for word in forbidden if word in script]
    assert "</script" not in script.lower() and "<!--" not in script


def test_each_part_that_a_script_asks_for_is_there(fragment: Fragment):
    parts = set(re.findall(r'\bpart\("([\w-]+)"\)', fragment.scripts[0]))
    assert parts and parts <= set(re.findall(r'data-ex="([\w-]+)"', fragment.html))


def test_every_script_of_the_folder_is_in_the_page(root: Path):
    folder = root / "src/embspace/app/explorer"
    assert {file.stem for file in folder.glob("*.js")} == set(SCRIPTS)


def test_the_same_tree_gives_the_same_explorer(tmp_path: Path, fragment: Fragment):
    assert explorer_of(write_tree(tmp_path), "tiny") == fragment
