"""Sequence-level distillation (Kim & Rush 2016, §3.2): pairs whose German is what a model itself translates.

Such translations are simpler and more regular than what people write, and so easier to learn for a smaller model.
"""

import unicodedata
from collections.abc import Iterator, Sequence

from explainer.decode.search.rules import BeamRules
from explainer.decode.sources.batch import RulesFor, each_translated
from explainer.model.transformer import Transformer
from explainer.text.corpora import MAX_CHARACTERS, SentencePair
from explainer.text.tidy import tidy
from explainer.text.tokenizer import Tokenizer


def distilled(
    model: Transformer,
    tokenizer: Tokenizer,
    sentences: Sequence[str],
    rules: BeamRules | RulesFor,
    batch_size: int = 64,
) -> Iterator[SentencePair | None]:
    """The best hypothesis for each English sentence beside it, short ones first; the model is in eval mode.

    None stands for a sentence that gives no pair to learn from: it is longer than the model reads, the search was cut
    before `</s>`, or the translation is not a line of text.
    """
    encoded = tokenizer.encode_batch([tidy(sentence) for sentence in sentences])
    readable = [i for i, ids in enumerate(encoded) if 0 < len(ids) < model.config.max_positions]
    yield from [None] * (len(sentences) - len(readable))
    for number, hypotheses in each_translated(model, [encoded[i] for i in readable], rules, batch_size):
        best = hypotheses[0]
        text = tokenizer.decode(best.words).strip()
        is_usable = best.finished and _is_line(text)
        yield SentencePair(sentences[readable[number]], text) if is_usable else None


def _is_line(text: str) -> bool:
    """Whether `read_pairs` would take the text as a sentence."""
    return 0 < len(text) <= MAX_CHARACTERS and all(unicodedata.category(char) != "Cc" for char in text)
