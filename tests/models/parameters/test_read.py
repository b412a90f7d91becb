"""`read_parameters` and `run_parameters`: matrices to and from the vocabulary, tied or not."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.parameters.read import ModelParameters, read_parameters, run_parameters
from embspace.settings.model import describe_model
from tests.lazy import torch, transformers
from tests.models.parameters.test_masked_head import HEADS
from tests.models.parameters.tiny import TOKENS, describe, tiny, with_head, write_checkpoint


def last_logits(module: Any, tokens: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The input of the final norm (or of what is there), and the scores of a language model."""
    ids = torch.tensor([tokens])
    with torch.no_grad():
        made = module(input_ids=ids, output_hidden_states=True)
    return made.hidden_states[-1][0].numpy(), made.logits[0].numpy()


def test_a_bert_without_a_head_is_tied_and_has_none(tmp_path: Path):
    module = tiny("bert")
    parameters = read_parameters("m", describe(write_checkpoint(tmp_path, module)))
    assert parameters.tokens == TOKENS
    assert parameters.is_tied
    assert parameters.head_transform is None
    assert parameters.final_norm is None
    assert parameters.output_embedding is parameters.input_embedding or np.array_equal(
        parameters.output_embedding, parameters.input_embedding
    )
    assert [layer.layer for layer in parameters.layers] == [1, 2, 3]


def test_a_head_is_read_out_of_the_checkpoint(tmp_path: Path):
    module = with_head("MaskedLM", "bert")
    head = HEADS["bert"].model_dump()
    parameters = read_parameters(
        "m", describe(write_checkpoint(tmp_path, module), masked_head=head)
    )
    assert parameters.head_transform is not None
    assert np.array_equal(
        parameters.head_transform.dense,
        module.cls.predictions.transform.dense.weight.detach().numpy(),
    )


def test_an_untied_output_matrix_is_the_checkpoints(tmp_path: Path):
    module = with_head("CausalLM", "llama", tie_word_embeddings=False)
    model = describe(
        write_checkpoint(tmp_path, module),
        matrices={"input": "embed_tokens.weight", "output": "lm_head.weight"},
        final_norm="norm",
    )
    parameters = read_parameters("m", model)
    assert not parameters.is_tied
    assert np.array_equal(parameters.output_embedding, module.lm_head.weight.detach().numpy())
    assert not np.array_equal(parameters.output_embedding, parameters.input_embedding)
    assert parameters.final_norm is not None
    assert not parameters.final_norm.is_centered
    states, logits = last_logits(module, [7, 8, 9])  # transformers gives them after the norm
    assert np.allclose(states @ parameters.output_embedding.T, logits, atol=1e-4)


def test_pythias_matrix_has_the_name_that_its_checkpoint_gives(tmp_path: Path):
    module = with_head("CausalLM", "gpt_neox", tie_word_embeddings=False)
    folder = write_checkpoint(tmp_path, module)
    model = describe(
        folder,
        matrices={"input": "embed_in.weight", "output": "embed_out.weight"},
        final_norm="final_layer_norm",
    )
    parameters = read_parameters("m", model)
    expected = module.get_output_embeddings().weight.detach().numpy()
    assert np.array_equal(parameters.output_embedding, expected)


@pytest.mark.parametrize(("model_type", "norm"), [("gpt2", "ln_f"), ("llama", "norm")])
def test_the_final_norm_is_the_models(model_type: str, norm: str):
    module = with_head("CausalLM", model_type)
    tokenizer = transformers.BertTokenizerFast(vocab={token: at for at, token in enumerate(TOKENS)})
    parameters = run_parameters(module, tokenizer, norm)
    x = np.random.default_rng(0).normal(size=(3, 24)).astype(np.float32)
    with torch.no_grad():
        expected = module.base_model.get_submodule(norm)(torch.from_numpy(x)).numpy()
    assert parameters.final_norm is not None
    assert np.allclose(parameters.final_norm(x), expected, atol=1e-5)


def test_factorised_embeddings_are_mapped_and_the_head_stays_in_their_size(tmp_path: Path):
    module = with_head("MaskedLM", "albert")
    model = describe(
        write_checkpoint(tmp_path, module),
        matrices={"mapping": "encoder.embedding_hidden_mapping_in"},
        masked_head=HEADS["albert"].model_dump(),
    )
    parameters = read_parameters("m", model)
    assert parameters.input_embedding.shape == (60, 24)
    assert parameters.output_embedding.shape == (60, 24)
    assert parameters.head_transform is not None
    assert parameters.head_transform.output.shape == (60, 16)
    # The bias of the map is the same for all tokens.
    difference = parameters.input_embedding - parameters.output_embedding
    assert np.allclose(difference, difference[0], atol=1e-5)


def test_a_map_after_the_last_block_belongs_to_the_output(tmp_path: Path):
    module = with_head("CausalLM", "opt", word_embed_proj_dim=16, do_layer_norm_before=False)
    model = describe(
        write_checkpoint(tmp_path, module),
        matrices={"input": "decoder.embed_tokens.weight", "mapping": "decoder.project_in"},
        final_norm="decoder.project_out",
    )
    parameters = read_parameters("m", model)
    assert parameters.final_norm is None
    x = np.random.default_rng(0).normal(size=(2, 24)).astype(np.float32)
    with torch.no_grad():
        expected = module.lm_head(module.model.decoder.project_out(torch.from_numpy(x))).numpy()
    assert np.allclose(x @ parameters.output_embedding.T, expected, atol=1e-4)


def test_rows_of_no_token_are_dropped(tmp_path: Path):
    module = with_head("MaskedLM", "bert", vocab_size=64)
    model = describe(
        write_checkpoint(tmp_path, module), padding_rows=4, masked_head=HEADS["bert"].model_dump()
    )
    parameters = read_parameters("m", model)
    assert parameters.input_embedding.shape == parameters.output_embedding.shape == (60, 24)
    assert parameters.head_transform is not None
    assert parameters.head_transform.bias is not None
    assert parameters.head_transform.output.shape == (60, 24)
    assert parameters.head_transform.bias.shape == (60,)


def test_a_module_that_is_given_is_read_in_the_place_of_the_checkpoints(tmp_path: Path):
    model = describe(write_checkpoint(tmp_path, tiny("bert")))
    other = tiny("bert", initializer_range=0.5)
    parameters = read_parameters("m", model, other)
    assert np.array_equal(
        parameters.layers[0].query,
        other.encoder.layer[0].attention.self.query.weight.detach().numpy(),
    )


def test_vectors_alone_are_refused():
    model = describe_model(
        "v", {"label": "v", "license": "l", "language": "n", "source": "vectors", "path": "x.npy"}
    )
    with pytest.raises(InputError, match=r"v\.yaml: vectors without a model have no parameters"):
        read_parameters("v", model)


def test_an_unknown_final_norm_is_refused(tmp_path: Path):
    model = describe(write_checkpoint(tmp_path, tiny("bert")), final_norm="norm")
    with pytest.raises(InputError, match="key 'final_norm': the model has no 'norm'"):
        read_parameters("m", model)


def test_a_checkpoint_of_a_run_has_its_head_and_matrices():
    module = with_head("MaskedLM", "bert")
    tokenizer = transformers.BertTokenizerFast(vocab={token: at for at, token in enumerate(TOKENS)})
    parameters: ModelParameters = run_parameters(module, tokenizer, None)
    assert parameters.tokens == TOKENS
    assert parameters.head_transform is not None
    assert parameters.is_tied
    classes = run_parameters(with_head("SequenceClassification", "bert"), tokenizer, None)
    assert classes.head_transform is None
    assert np.array_equal(classes.output_embedding, classes.input_embedding)


def test_a_run_with_factorised_embeddings_is_mapped():
    tokenizer = transformers.BertTokenizerFast(vocab={token: at for at, token in enumerate(TOKENS)})
    parameters = run_parameters(with_head("MaskedLM", "albert"), tokenizer, None)
    assert parameters.output_embedding.shape == parameters.input_embedding.shape == (60, 24)
