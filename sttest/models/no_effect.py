"""Fields of a ``config.json`` that change no value, and what a field that no block has does to transformers."""

from collections.abc import Collection

NO_EFFECT = frozenset({
    "_attn_implementation", "_attn_implementation_autoset", "_commit_hash", "_experts_implementation",
    "_name_or_path", "_num_labels", "_sliding_window_pattern", "activation_dropout", "architectures",
    "assistant_confidence_threshold", "assistant_lookbehind", "attention_dropout", "attn_implementation",
    "attn_pdrop", "auto_map", "bad_words_ids", "begin_suppress_tokens", "bos_token_id", "cache_implementation",
    "chunk_size_feed_forward", "classifier_dropout", "cross_attention_hidden_size", "decoder_start_token_id",
    "diversity_penalty", "do_sample", "dropout", "dtype", "early_stopping", "embd_pdrop", "embedding_dropout",
    "encoder_no_repeat_ngram_size", "encoder_repetition_penalty", "eos_token_id", "epsilon_cutoff", "eta_cutoff",
    "experts_implementation", "exponential_decay_length_penalty", "finetuning_task", "forced_bos_token_id",
    "forced_eos_token_id", "gradient_checkpointing", "hidden_dropout", "id2label", "init_std",
    "initializer_factor", "initializer_range", "is_decoder", "is_llama_config", "keys_to_ignore_at_inference",
    "label2id", "layerdrop", "length_penalty", "max_length", "max_sequence_length", "min_length",
    "model_max_length", "model_type", "n_ctx", "name_or_path", "no_repeat_ngram_size", "num_assistant_tokens",
    "num_assistant_tokens_schedule", "num_beam_groups", "num_beams", "num_labels", "num_return_sequences",
    "output_attentions", "output_hidden_states", "output_past", "output_router_logits", "output_scores",
    "pad_token_id", "prefix", "pretraining_tp", "problem_type", "pruned_heads", "remove_invalid_values",
    "reorder_and_upcast_attn", "repetition_penalty", "resid_pdrop", "return_dict", "return_dict_in_generate",
    "router_aux_loss_coef", "router_jitter_noise", "sep_token_id", "summary_activation", "summary_first_dropout",
    "summary_last_dropout", "summary_proj_to_labels", "summary_type", "summary_use_proj", "suppress_tokens",
    "target_lookbehind", "task_specific_params", "temperature", "tf_legacy_loss", "tie_encoder_decoder",
    "tokenizer_class", "top_k", "top_p", "torch_dtype", "torchscript", "transformers.js_config",
    "transformers_version", "typical_p", "unsloth_fixed", "unsloth_version", "use_bfloat16", "use_cache",
})  # fmt: skip
"""Fields that change no value of a forward pass: dropout, initialization, precision on disk, generation, labels, and
lengths that are told beside the one that counts."""

IGNORED = "delete it from a copy of the file: transformers ignores it"
_OF_ANY_FAMILY = frozenset({
    "attention_chunk_size", "is_causal", "is_encoder_decoder", "kv_sharing_modes", "mlp_layer_types", "mlp_only_layers",
    "num_mtp_layers", "per_layer_config", "softcap", "unpadded_vocab_size", "use_mtp",
})  # fmt: skip
"""Fields that transformers reads of a configuration without asking for its family."""


def is_ignored(name: str, of_families: Collection[str]) -> bool:
    """Whether transformers ignores a field that no block of a family has, so that deleting it gives its model.

    It is never said to be meant for another one: with that, a model would be another one than transformers reads.

    Args:
        name: the field.
        of_families: fields that decide values in any family.
    """
    return name not in _OF_ANY_FAMILY and name not in of_families
