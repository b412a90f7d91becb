from embspace.models.stream.masks import attended
from tests.lazy import torch

ROWS = [[1, 1, 1, 1], [1, 1, 0, 0]]


def test_nothing_attends_to_padding():
    mask = attended(torch.tensor(ROWS), causal=False, window=None)
    assert mask.shape == (2, 1, 4, 4)
    assert mask[0].all()
    assert mask[1, 0].tolist() == [[True, True, False, False]] * 4


def test_a_decoder_looks_back():
    mask = attended(torch.tensor(ROWS), causal=True, window=None)[0, 0]
    assert torch.equal(mask, torch.ones(4, 4).tril().bool())


def test_a_window_reaches_as_far_to_both_sides():
    mask = attended(torch.tensor(ROWS), causal=False, window=1)[0, 0]
    assert mask.sum(dim=1).tolist() == [2, 3, 3, 2]
    both = attended(torch.tensor(ROWS), causal=True, window=1)[0, 0]
    assert both.sum(dim=1).tolist() == [1, 2, 2, 2]
