"""Text in, token ids out: the BPE tokenizer, corpora of sentence pairs, the grammar corpus."""
