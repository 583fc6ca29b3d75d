"""How good translations are: BLEU (Papineni et al. 2002) and chrF (Popović 2015), by sacrebleu."""

from collections.abc import Sequence
from typing import Any

from explainer.text.corpora import SentencePair


def grouped(pairs: Sequence[SentencePair]) -> dict[str, list[str]]:
    """All translations of each source: the references with which a translation is compared."""
    references: dict[str, list[str]] = {}
    for pair in pairs:
        references.setdefault(pair.source, []).append(pair.target)
    return references


def compare(translations: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float | str]:
    """BLEU and chrF of a whole corpus, in percent, and the signatures that tell how they were computed."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    most = max(map(len, references))
    streams: list[list[Any]] = [[own[i] if i < len(own) else None for own in references] for i in range(most)]
    scores: dict[str, float | str] = {}
    for name, metric in (("bleu", BLEU()), ("chrf", CHRF())):
        scores[name] = metric.corpus_score(translations, streams).score
        scores[f"{name}_signature"] = str(metric.get_signature())
    return scores
