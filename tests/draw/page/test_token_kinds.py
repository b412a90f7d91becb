import pandas as pd

from embspace.draw.page.looks import TOKEN_KINDS
from embspace.draw.page.token_kinds import token_kinds

TOKENS = {
    "[CLS]": ("special", "special"),
    "[unused3]": ("unused", "unused"),
    "bear": ("word", "word"),
    "##ing": ("subword", "subword"),
    "1984": ("digit", "number"),
    "7": ("digit", "character"),
    "##7": ("subword", "character"),
    "Ġa": ("word", "character"),
    "a</w>": ("word", "character"),
    "##": ("other", "other"),
    "戸": ("word", "character"),
    "...": ("other", "other"),
}


def test_kinds_follow_from_the_extracted_kind_and_the_length_without_marks():
    kinds = [given for given, _ in TOKENS.values()]
    vocabulary = pd.DataFrame({"id": range(5, 17), "token": [*TOKENS], "kind": kinds})
    drawn_kinds = token_kinds(vocabulary)
    assert dict(zip(TOKENS, drawn_kinds, strict=True)) == {
        token: kind for token, (_, kind) in TOKENS.items()
    }
    assert drawn_kinds.index.tolist() == [*range(5, 17)]
    assert set(drawn_kinds) <= TOKEN_KINDS.keys()
