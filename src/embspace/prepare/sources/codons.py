"""The standard genetic code: codons of small letters, residues of one capital each."""

from itertools import product

RESIDUES = "KNKNTTTTRSRSIIMIQHQHPPPPRRRRLLLLEDEDAAAAGGGGVVVV*Y*YSSSS*CWCLFLF"
CODE = dict(zip(map("".join, product("acgt", repeat=3)), RESIDUES, strict=True))
STOP = "*"
UNKNOWN = "X"


def translate(bases: str) -> str:
    """The residues of whole codons: * for a stop, X for a codon with a base that is not known."""
    return "".join(CODE.get(bases[n : n + 3], UNKNOWN) for n in range(0, len(bases), 3))


def nearest_codon(codon: str, residue: str) -> str:
    """The codon of `residue` with the fewest other bases; of several the first by alphabet."""
    codons = [each for each in CODE if CODE[each] == residue]
    return min(codons, key=lambda each: (sum(map(str.__ne__, each, codon)), each))
