from embspace.models.checks.allowed import listed, not_allowed, way_out


def test_a_star_stands_for_any_characters_and_a_name_for_itself():
    names = ["a.lora_A.weight", "b.weight", "alibi"]
    assert not_allowed(names, []) == sorted(names)
    assert not_allowed(names, ["*lora_A*"]) == ["alibi", "b.weight"]
    assert not_allowed(names, ["alibi", "b"]) == ["a.lora_A.weight", "b.weight"]


def test_a_message_lists_a_few_and_counts_the_rest():
    assert listed(["a", "b"]) == "'a', 'b'"
    assert listed(list("abcde")) == "'a', 'b', 'c' and 2 more"
    assert "--allow-unused 'x.y'" in way_out(["x.y"])
