"""`attention` as an attention function of the models of Hugging Face's library `transformers`."""

from __future__ import annotations

from typing import Any

import torch

from ..kernels._attention.operands import ELEMENTS, HEAD_SIZES
from .attention import attention

#: Arguments of attention functions that change the result, and that `attention` does not have.
_CHANGES = {
    "softcap": "soft cap of the scores",
    "position_bias": "bias of the scores",
    "s_aux": "sink",
}
#: Those that "sdpa" does not have, either.
_NOT_BY_SDPA = ("softcap", "s_aux")


def register_attention(name: str = "hocket", falls_back: bool = False) -> None:
    """Registers `hocket.torch.attention` as an attention function of `transformers`, for all of its models that take
    one:

        hocket.torch.register_attention()
        model = AutoModelForCausalLM.from_pretrained(name_of_model, attn_implementation="hocket", dtype="bfloat16")

    The function computes full and causal attention of float16 and bfloat16 with head sizes of 64 and 128, forward and
    backward, with grouped heads of keys, on Hopper. It does not take masks. Models make a mask for batches with
    padding, for packed sequences, for sliding windows that are shorter than the sequence, for several new tokens after
    those of a cache, and for new tokens after those of a static cache.

    Args:
        name: name for `attn_implementation`.
        falls_back: what happens with calls that Hocket has no kernel for: those with a mask, dropout, another dtype or
            another head size. If True, the function "sdpa" of `transformers` computes them. If False, they raise a
            NotImplementedError.

    Raises: ImportError without `transformers`, or with a version before 5. The registered function raises a
    NotImplementedError for soft caps and sinks in any case.
    """
    try:
        from transformers import AttentionInterface, AttentionMaskInterface
        from transformers.integrations.sdpa_attention import sdpa_attention_forward
        from transformers.masking_utils import sdpa_mask
    except ImportError as error:
        raise ImportError(
            f"hocket.torch.register_attention needs transformers 5 or later: {error}\n  hint: pip install transformers"
        ) from error

    def function(
        module: torch.nn.Module,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        dropout: float = 0.0,
        scaling: float | None = None,
        is_causal: bool | None = None,
        **options: Any,
    ) -> tuple[torch.Tensor, None]:
        missing = _missing(query, value, attention_mask, dropout, options)
        if missing is not None:
            if falls_back and not any(options.get(option) is not None for option in _NOT_BY_SDPA):
                return sdpa_attention_forward(
                    module,
                    query,
                    key,
                    value,
                    attention_mask,
                    dropout=dropout,
                    scaling=scaling,
                    is_causal=is_causal,
                    **options,
                )
            raise NotImplementedError(f"the attention function {name!r} of Hocket {missing}")
        if is_causal is None:
            is_causal = getattr(module, "is_causal", True)
        queries = query.shape[2]
        is_causal = is_causal and queries > 1
        if is_causal and key.shape[2] != queries:
            # Without a mask, these numbers differ only after an empty static cache: keys after the queries are unset.
            key, value = key[:, :, :queries], value[:, :, :queries]
        return attention(query, key, value, is_causal, scaling).transpose(1, 2).contiguous(), None

    AttentionInterface.register(name, function)
    # The mask of "sdpa" is None for calls without padding: all keys or a causal mask.
    AttentionMaskInterface.register(name, sdpa_mask)


def _missing(
    query: torch.Tensor, value: torch.Tensor, attention_mask: torch.Tensor | None, dropout: float, options: dict
) -> str | None:
    """Returns what Hocket has no kernel for, with a hint, or None."""
    or_fall_back = ', or hocket.torch.register_attention(falls_back=True), which computes such calls by "sdpa"'
    if dropout:
        return (
            f"has no dropout, but dropout is {dropout}\n  hint: set attention_dropout=0.0 in the model's "
            f"configuration{or_fall_back}"
        )
    if attention_mask is not None:
        return (
            f"has no masks except the causal mask, but attention_mask is {list(attention_mask.shape)}\n  hint: pass "
            f"batches without padding and without packed sequences{or_fall_back}"
        )
    for option, what in _CHANGES.items():
        if options.get(option) is not None:
            return (
                f"has no {what}, but the model passes {option}\n  hint: load the model with another attn_implementation"
            )
    if options.get("output_attentions"):
        return 'returns no attention weights, but output_attentions is True\n  hint: attn_implementation="eager"'
    dtype = str(query.dtype).removeprefix("torch.")
    if dtype not in ELEMENTS:
        return (
            f"takes {' or '.join(ELEMENTS)}, but the query is {dtype}\n  hint: load the model in bfloat16{or_fall_back}"
        )
    sizes = query.shape[3], value.shape[3]
    if sizes[0] != sizes[1] or sizes[0] not in HEAD_SIZES:
        return (
            f"takes head sizes of {' and '.join(map(str, HEAD_SIZES))}, but those of queries and values are "
            f"{sizes[0]} and {sizes[1]}\n  hint: load the model with another attn_implementation{or_fall_back}"
        )
    return None
