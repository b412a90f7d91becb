"""The policy of a page: by the example of hashes in the specification, and in what order."""

from embspace.app.page.fragment import policy_of


def test_a_script_is_allowed_by_the_hash_of_its_text():
    # The example of CSP Level 2, section 7.17.1: the text is "alert('Hello, world.');".
    policy = policy_of(["alert('Hello, world.');"])
    assert "script-src 'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=';" in policy
    assert policy.startswith("default-src 'none'; img-src data:;")


def test_a_page_without_scripts_runs_none():
    assert "script-src 'none';" in policy_of([])
