"""The analyses that a page has sections of, in the order of the page."""

# Each has a drawing stage of its own, and so a folder.
DRAWN_ALONE = ("layer_choice", "label_overlap")
COMPARES_MODELS = "encoders_decoders"  # and a report has but one


def drawn_nouns() -> dict[str, str]:
    """Return the figures of every model, in the order of the page, with the chapters."""
    from embspace.draw.attention.__main__ import DRAWINGS as ATTENTION
    from embspace.draw.learned.__main__ import DRAWINGS as LEARNED
    from embspace.draw.positional.__main__ import DRAWINGS as POSITIONAL
    from embspace.draw.sentences.__main__ import DRAWINGS as SENTENCES
    from embspace.draw.texts.__main__ import DRAWINGS as TEXTS
    from embspace.draw.words.__main__ import DRAWINGS as WORDS

    chapters = {
        "learned": LEARNED,
        "positional": POSITIONAL,
        "words": WORDS,
        "sentences": SENTENCES,
        "texts": TEXTS,
        "attention": ATTENTION,
        "ledger": ("ledger",),
    }
    return {noun: chapter for chapter, nouns in chapters.items() for noun in nouns}


def layer_nouns() -> dict[str, str]:
    """Return the analyses that are drawn for the layers of a profiled model, in page order."""
    from embspace.draw.blocks.__main__ import DRAWINGS as BLOCKS
    from embspace.draw.layers.__main__ import DRAWINGS as LAYERS
    from embspace.draw.open_questions.__main__ import DRAWINGS as OPEN_QUESTIONS
    from embspace.draw.parameters.__main__ import DRAWINGS as PARAMETERS
    from embspace.draw.practice.__main__ import DRAWINGS as PRACTICE

    layers = dict.fromkeys((noun for noun in LAYERS if noun != COMPARES_MODELS), "layers")
    layers |= {noun: noun for noun in DRAWN_ALONE}
    chapters = {"practice": PRACTICE, "blocks": BLOCKS, "parameters": PARAMETERS}
    chapters |= {"open_questions": OPEN_QUESTIONS}
    return layers | {noun: name for name, nouns in chapters.items() for noun in nouns}


def nouns_of_page() -> dict[str, str]:
    """Return all possible sections of a page, in order, with the folders."""
    drawn = drawn_nouns()
    ledger = drawn.pop("ledger")
    return drawn | layer_nouns() | {"ledger": ledger}
