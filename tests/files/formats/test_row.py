from embspace.files.formats.row import foreign_byte, line_of_foreign


def test_a_byte_that_is_no_utf8_is_named_with_its_line():
    content = b"a\nb\xc3\xa4\nc\xe9".decode(errors="surrogateescape")
    flaw = foreign_byte(content)
    assert flaw is not None and flaw.is_foreign
    assert flaw.reason == "the byte 0xe9 is not UTF-8"
    assert line_of_foreign(content) == 3
    assert foreign_byte("a\nbä") is None and line_of_foreign("ä") == 0
