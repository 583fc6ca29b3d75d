"""Ready-made runs: corpora that the project writes itself, and requests that learn them in minutes on two CPU cores."""

from explainer.text.corpora import pair_lines
from explainer.text.tasks import generate_task
from explainer.train.learning.request import TrainRequest

# Without dropout and label smoothing: the answer is exact, and there are more examples than the model can learn by
# heart. Found by trying: sequences of up to ten letters need two layers and a learning rate well above the usual.
TASK_REQUEST = TrainRequest(
    corpus="corpus.tsv",
    valid="valid.tsv",
    vocab_size=400,
    d_model=64,
    n_heads=2,
    d_ff=128,
    n_encoder_layers=2,
    n_decoder_layers=2,
    dropout=0.0,
    smoothing=0.0,
    steps=800,
    peak=3e-3,
    warmup=100,
    decay=0.5,
    max_tokens=1024,
    precision="float32",
    save_every=50,
)


def task_files(task: str, *, seed: int = 1) -> dict[str, bytes]:
    """The corpus of a task, as files for the folder of a run: `corpus.tsv`, `valid.tsv` and `test.tsv`.

    Args:
        task: copy, reverse, sort or dates.
        seed: Of the random choice of the pairs.

    Raises:
        ValueError: there is no such task.
    """
    corpus = generate_task(task, seed=seed)
    parts = {"corpus.tsv": corpus.train, "valid.tsv": corpus.valid, "test.tsv": corpus.test}
    return {name: pair_lines(pairs) for name, pairs in parts.items()}
