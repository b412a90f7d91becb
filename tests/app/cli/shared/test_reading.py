from embspace.app.cli.shared.reading import header_of, reading_of


def test_what_was_not_asked_for_is_no_key():
    assert reading_of(*[None] * 4, separator=None, skip_empty=False) == {}
    keys = reading_of("a", None, None, None, separator=r"\t", skip_empty=True)
    assert keys == {"text_column": "a", "separator": "\t", "skip_empty": True}


def test_a_header_is_there_or_not_or_unsaid():
    assert [header_of(word) for word in ("yes", "no", None)] == [True, False, None]
