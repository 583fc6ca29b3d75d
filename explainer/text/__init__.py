"""Text in, token ids out: the BPE tokenizer, corpora of sentence pairs, small tasks with an exact answer."""
