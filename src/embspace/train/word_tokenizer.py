"""A tokenizer of whole words, as they are between spaces."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

PAD, UNKNOWN, CLS, SEP, MASK = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
START, END = "[BOS]", "[EOS]"


def word_tokenizer(texts: Iterable[str], *, is_masked: bool) -> Any:
    """A fast tokenizer with a token per word of the texts, the most frequent first.

    Ids begin with the special tokens. For a model that fills in a mask, a text is `[CLS] … [SEP]`,
    and a pair `[CLS] … [SEP] … [SEP]`; for a left-to-right model, `[BOS] … [EOS]`. Words missing
    from the texts become `[UNK]`.
    """
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    first, last = (CLS, SEP) if is_masked else (START, END)
    special = [PAD, UNKNOWN, first, last, *([MASK] if is_masked else [])]
    counts = Counter(word for text in texts for word in text.split())
    words = sorted(counts.keys() - set(special), key=lambda word: (-counts[word], word))
    ids = {token: number for number, token in enumerate([*special, *words])}
    backend = Tokenizer(WordLevel(ids, unk_token=UNKNOWN))
    backend.pre_tokenizer = WhitespaceSplit()
    backend.post_processor = TemplateProcessing(
        single=f"{first} $A {last}",
        pair=f"{first} $A {last} $B:1 {last}:1",
        special_tokens=[(first, ids[first]), (last, ids[last])],
    )
    roles = {"cls_token": CLS, "sep_token": SEP, "mask_token": MASK}
    if not is_masked:
        roles = {"bos_token": START, "eos_token": END}
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=backend, pad_token=PAD, unk_token=UNKNOWN, **roles
    )
