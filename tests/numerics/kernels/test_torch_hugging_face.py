"""hocket.torch.register_attention: models of `transformers` whose attention is Hocket's."""

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import hocket.torch  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

OR_FALL_BACK = 'or hocket.torch.register_attention(falls_back=True), which computes such calls by "sdpa"'


@pytest.fixture
def make_model(hopper_device):
    """Returns a function that makes a model of one layer, whose heads of queries share one head of keys."""
    from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    def make(implementation, dtype=torch.bfloat16, head_dim=64, **settings):
        config = transformers.LlamaConfig(
            vocab_size=48, hidden_size=128, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
            num_key_value_heads=1, head_dim=head_dim, attn_implementation=implementation, **settings,
        )  # fmt: skip
        torch.manual_seed(0)
        model = transformers.LlamaForCausalLM(config).to(dtype)
        for weight in model.model.layers[0].self_attn.parameters():
            weight.data.mul_(8)  # so that attention is far from uniform
        return model.to("cuda" if hopper_device.is_gpu else "cpu")

    hocket.torch.register_attention()
    hocket.torch.register_attention("hocket or sdpa", falls_back=True)
    yield make
    for name in ("hocket", "hocket or sdpa"):
        for functions in (ALL_ATTENTION_FUNCTIONS, ALL_MASK_ATTENTION_FUNCTIONS):
            type(functions)._global_mapping.pop(name)


def tokens_of(model, batch=2, length=40):
    return torch.randint(0, 48, (batch, length), generator=torch.Generator().manual_seed(1)).to(model.device)


def test_model_computes_the_same_with_the_function_of_hocket(make_model):
    """Logits are those of a float32 model. The same tokens are generated with a cache that grows, and with a static
    cache, whose last keys are unset while the prompt is computed."""
    expected, model, static = make_model("eager", torch.float32), make_model("hocket"), make_model("hocket or sdpa")
    tokens = tokens_of(model)
    torch.testing.assert_close(model(tokens).logits.float(), expected(tokens).logits, atol=0.05, rtol=0.05)
    options = {"max_new_tokens": 2, "do_sample": False}
    generated = expected.generate(tokens[:1], **options).tolist()
    assert model.generate(tokens[:1], **options).tolist() == generated
    options["disable_compile"] = True
    assert static.generate(tokens[:1], cache_implementation="static", **options).tolist() == generated


CALLS = {
    "dropout": (
        {"attention_dropout": 0.25}, {}, torch.bfloat16,
        "has no dropout, but dropout is 0.25\n  hint: set attention_dropout=0.0 in the model's configuration, ",
    ),
    "padding": (
        {}, {"attention_mask": torch.tensor([[0, 1, 1, 1]])}, torch.bfloat16,
        "has no masks except the causal mask, but attention_mask is [1, 1, 4, 4]\n  hint: pass batches without padding "
        "and without packed sequences, ",
    ),
    "float32": (
        {}, {}, torch.float32,
        "takes float16 or bfloat16, but the query is float32\n  hint: load the model in bfloat16, ",
    ),
    "head size": (
        {"head_dim": 48}, {}, torch.bfloat16,
        "takes head sizes of 64 and 128, but those of queries and values are 48 and 48\n  hint: load the model with "
        "another attn_implementation, ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls_that_hocket_has_no_kernel_for(make_model, name):
    """They are refused, or computed as by "sdpa"."""
    settings, call, dtype, message = CALLS[name]
    results = {}
    for implementation in ("hocket", "hocket or sdpa", "sdpa"):
        model = make_model(implementation, dtype, **settings)
        tokens = tokens_of(model, 1, 4)
        call = {key: value.to(model.device) for key, value in call.items()}
        torch.manual_seed(2)
        if implementation == "hocket":
            with pytest.raises(NotImplementedError) as raised:
                model.train()(tokens, **call)
            assert str(raised.value) == f"the attention function 'hocket' of Hocket {message}{OR_FALL_BACK}"
        else:
            results[implementation] = model.train()(tokens, **call).logits
    torch.testing.assert_close(results["hocket or sdpa"], results["sdpa"], atol=0, rtol=0)


@pytest.mark.parametrize("option, what", [("softcap", "soft cap of the scores"), ("s_aux", "sink")])
def test_options_that_are_always_refused(make_model, option, what):
    function = transformers.modeling_utils.ALL_ATTENTION_FUNCTIONS["hocket or sdpa"]
    q = torch.zeros(1, 2, 4, 64, dtype=torch.bfloat16)
    with pytest.raises(NotImplementedError) as raised:
        function(torch.nn.Module(), q, q, q, None, **{option: 1.0})
    assert str(raised.value) == (
        f"the attention function 'hocket or sdpa' of Hocket has no {what}, but the model passes {option}\n"
        "  hint: load the model with another attn_implementation"
    )
