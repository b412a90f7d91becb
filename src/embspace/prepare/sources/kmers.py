"""Sequences of bases as texts of k-mers."""


def kmers(sequence: str, *, k: int, stride: int) -> str:
    """Return the windows of `k` bases at every `stride`-th base, separated by blanks.

    >>> kmers("acgtacg", k=4, stride=3)
    'acgt tacg'

    As in the case study of "The geometry of BERT" (arXiv:2502.12033): the sequence is first filled
    up with n on the right to a multiple of k, and only whole windows are taken, so that up to
    stride - 1 of the last bases may stand in none. With k = 12 and stride = 9 a k-mer is four
    codons, of which the last is also the first of the next k-mer.
    """
    filled = sequence + "n" * (-len(sequence) % k)
    return " ".join(filled[start : start + k] for start in range(0, len(filled) - k + 1, stride))
