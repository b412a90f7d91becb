import re

import pytest
import yaml

from embspace.errors import InputError
from embspace.settings.params import Params, models_of
from embspace.settings.schema import validate

GIVEN = {
    "models": ["m"],
    "corpora": ["one"],
    "profiled": [],
    "trained": [],
    "seed": 0,
    "device": "cpu",
}
PAIR_LINE = "minilm--minilm_random: {model: minilm, other_model: minilm_random}"


@pytest.mark.parametrize("key", ["models", "corpora"])
@pytest.mark.parametrize("empty", [None, []])
def test_params_take_no_empty_list_and_show_one(key: str, empty: list[str] | None):
    given = {
        "models": ["minilm"],
        "corpora": ["articles"],
        "profiled": [],
        "trained": [],
        "seed": 0,
        "device": "cpu",
    }
    example = given[key][0]
    with pytest.raises(InputError, match="^params.yaml: key ") as caught:
        validate(Params, {**given, key: empty}, "params.yaml")
    assert str(caught.value).startswith(f"params.yaml: key '{key}': ")
    assert str(caught.value).endswith(f"; write it as a list:\n  {key}:\n    - {example}")


@pytest.mark.parametrize(
    ("key", "wrong", "lines"),
    [
        ("models", "minilm", ["models:", "  - minilm"]),
        ("models", True, ["models:", "  - minilm"]),
        ("profiled", True, ["profiled:", "  - minilm", "or for none, `profiled: []`"]),
        ("profiled", None, ["profiled:", "  - minilm", "or for none, `profiled: []`"]),
        ("trained", "mine", ["trained:", "  - mine"]),
        ("compared", [], ["compared:", f"  {PAIR_LINE}", "or for none, `compared: {}`"]),
        ("roles", "a", ["roles:", "  long_texts: articles", "or for none, `roles: {}`"]),
        ("seed", "3", ["seed: 3"]),
        ("seed", True, ["seed: 0"]),
        ("seed", "1.5", ["seed: 0"]),
    ],
)
def test_a_mistake_is_answered_with_the_lines_to_type(key: str, wrong: object, lines: list[str]):
    with pytest.raises(InputError) as caught:
        validate(Params, {**GIVEN, key: wrong}, "params.yaml")
    first, *shown = str(caught.value).split("\n")
    assert first.startswith(f"params.yaml: key '{key}': Input should be a valid ")
    assert f", found {wrong!r} ({type(wrong).__name__}); write it as " in first
    assert shown == [f"  {line}" for line in lines]
    if "or for none" not in lines[-1]:  # the other lines are two ways
        params = validate(Params, {**GIVEN, **yaml.safe_load("\n".join(shown))}, "params.yaml")
        assert getattr(params, key) is not None


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [(7, "as text it is written '7', in quotes"), (False, "YAML reads yes, no, on and off as")],
)
def test_a_name_that_yaml_takes_for_something_else_is_told(wrong: object, hint: str):
    with pytest.raises(InputError, match=rf"key 'models\.0': .*found {wrong!r} .*; {hint}"):
        validate(Params, {**GIVEN, "models": [wrong]}, "params.yaml")


@pytest.mark.parametrize("name", ["a", "A_1", "a-b-2"])
def test_a_corpus_is_named_by_letters_digits_underscores_and_dashes(name: str):
    given = {
        "models": ["m"],
        "corpora": [name],
        "profiled": [],
        "trained": [],
        "seed": 0,
        "device": "cpu",
    }
    assert validate(Params, given, "params.yaml").corpora == [name]


@pytest.mark.parametrize(
    "name", ["x.halves", "x.tokens", "x.windows", "x.y", "", "a b", "a/b", "ä", "a--b", "-a", "a\n"]
)
def test_a_corpus_is_not_named_as_a_file_that_is_derived_from_one(name: str):
    given = {
        "models": ["m"],
        "corpora": ["one", name],
        "profiled": [],
        "trained": [],
        "seed": 0,
        "device": "cpu",
    }
    with pytest.raises(
        InputError, match=r"key 'corpora\.1': A name is of letters, digits"
    ) as caught:
        validate(Params, given, "params.yaml")
    assert f"found {name!r} (str)" in str(caught.value)


@pytest.mark.parametrize("name", ["..", ".", ".a", "a--b", "toy", "a/b", "-a"])
def test_a_model_is_not_named_as_a_folder_a_pair_or_a_toy(name: str):
    with pytest.raises(InputError, match=r"params\.yaml: key 'models\.0': .*found "):
        validate(Params, {**GIVEN, "models": [name]}, "params.yaml")


PAIR = {"model": "a", "other_model": "b-1.5"}


def test_a_pair_is_called_after_its_models():
    params = validate(Params, {**GIVEN, "compared": {"a--b-1.5": PAIR}}, "params.yaml")
    assert models_of(*params.compared) == ("a", "b-1.5")
    assert validate(Params, GIVEN, "params.yaml").compared == {}


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ({"a-b-1.5": PAIR}, "The pair 'a-b-1.5' of these models is called 'a--b-1.5', found"),
        ({"a--a": {"model": "a", "other_model": "a"}}, "The pair 'a--a' is of one model"),
        (
            {"a--b-1.5": PAIR, "b-1.5--a": {"model": "b-1.5", "other_model": "a"}},
            "'a--b-1.5' and 'b-1.5--a' are one pair; leave one of them out",
        ),
        ({"a--b-1.5": {"model": "a"}}, "key 'compared.a--b-1.5.other_model' is missing"),
        (
            {"a--b-1.5": {**PAIR, "n": 1}},
            "'compared.a--b-1.5.n' is unknown; allowed: model, other_model",
        ),
        ({"a--b-1.5": ["a", "b-1.5"]}, "key 'compared.a--b-1.5': "),
        (["a--b-1.5"], "key 'compared': Input should be a valid dictionary"),
    ],
)
def test_a_pair_that_does_not_fit_is_named(pairs: object, message: str):
    with pytest.raises(InputError, match=re.escape(message)):
        validate(Params, {**GIVEN, "compared": pairs}, "params.yaml")


def test_a_corpus_is_not_called_stimuli():
    with pytest.raises(InputError, match=r"key 'corpora\.0': A corpus is not called 'stimuli'"):
        validate(Params, {**GIVEN, "corpora": ["stimuli"]}, "params.yaml")


def test_two_items_of_a_stage_are_not_called_the_same():
    given = {**GIVEN, "models": ["minilm", "minilm-x"], "corpora": ["posts", "x-posts"]}
    message = (
        "params.yaml: key 'corpora': 'minilm' with 'x-posts' and 'minilm-x' with 'posts' would be "
        "one stage, 'minilm-x-posts'; give one of them another name"
    )
    with pytest.raises(InputError) as caught:
        validate(Params, given, "params.yaml")
    assert str(caught.value).startswith(message)
    validate(Params, {**given, "corpora": ["x-posts"]}, "params.yaml")
    # The same pair twice is told by `embspace check`.
    validate(Params, {**given, "corpora": ["posts", "posts"]}, "params.yaml")
