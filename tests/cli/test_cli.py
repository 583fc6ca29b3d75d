"""The command line: what it prints, and one line and status 2 for whatever is wrong."""

import dataclasses
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sacrebleu import sentence_bleu
from safetensors.torch import load_file
from torch.nn.functional import nll_loss

from explainer.capture.trace import Trace
from explainer.checkpoints import load_checkpoint, save_checkpoint
from explainer.cli.options import attribute_docs
from explainer.cli.scores import compare, grouped
from explainer.decode.search.prefixes import Hypothesis
from explainer.files import PRETRAINED
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.corpora import SentencePair, read_pairs
from explainer.text.tokenizer import Tokenizer
from explainer.train.learning.request import TrainRequest
from explainer.train.runs.folder import RunFolder
from tests.cli.conftest import TINY, Run, refused, written

REPOSITORY = Path(__file__).parents[2]
EVALUATE = "evaluate --model model --corpus"
DISTIL = "distil --corpus pairs.tsv --out out.tsv"
TRAIN = "train --runs-dir runs"
LEARN = f"{TRAIN} --corpus pairs.tsv"
NO_SHARE = "the share must be a number above 0"
VARY = "vary --pairs pairs.tsv:1 --names names.txt --out out.tsv"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("translait Hi", ["translait"]),
        ("translate", ["Missing argument"]),
        ("translate '' --model model", ["the text is empty"]),
        ("translate ' \n ' --model model", ["the text is empty"]),
        (f"translate '{'? ' * 61}' --model model", ["122 tokens", "the limit is 60"]),
        ("translate Hi --beam 0", ["--beam"]),
        ("translate Hi --beam many", ["--beam", "int"]),
        ("translate Hi there", ["there"]),
        ("translate Hi --colour", ["--colour"]),
        ("translate Hi --model nowhere", ["nowhere: no such folder"]),
        ("evaluate", ["--corpus"]),
        (f"{EVALUATE} no.tsv", ["no.tsv: No such file"]),
        (f"{EVALUATE} .", ["directory"]),
        ("distil --corpus pairs.tsv", ["--out"]),
        ("distil --corpus no.tsv --out out.tsv", ["no.tsv: No such file"]),
        (f"{DISTIL} --beam 0", ["--beam"]),
        (f"{DISTIL} --beam 1 --model model", ["none of 2 translations"]),  # random weights never come to an end
        ("trace Hi", ["--out"]),
        ("trace '' --out t.npz --model model", ["the text is empty"]),
        ("trace Hi --out no/t.npz --model model", ["No such file"]),
        ("strategies Hi --top-p 3", ["top_p = 3.0: must be above 0 and at most 1"]),
        ("strategies Hi --temperature 0", ["temperature = 0.0: must be above 0"]),
        ("strategies Hi --top-k -1", ["top_k = -1: must be at least 0"]),
        ("strategies Hi --budget 0", ["--budget"]),
        (f"{VARY} --pairs pool.tsv", ["is not FILE:SHARE"]),
        (f"{VARY} --pairs pool.tsv:1", ["pool.tsv: no such file"]),
        (f"{VARY} --templates slots.tsv", ["no value for the slot {what}"]),
        (f"{VARY} --templates slots.tsv --values pairs.tsv", ["line 1: expected three columns, found 2"]),
        ("corpus classroom --part valid --out .", []),  # no name, once a traceback
        ("corpus classroom --part valid --out model", ["directory"]),
        (TRAIN, ["--corpus FILE", "--resume"]),
        (f"{TRAIN} --corpus nowhere.tsv", ["--corpus", "nowhere.tsv: no such file"]),
        (f"{TRAIN} --resume", ["request.json: missing"]),
        (f"{TRAIN} --name ../elsewhere", ["--name"]),
        (f"{TRAIN} --device abacus", ["--device"]),
        (f"{TRAIN} --threads 0", ["--threads"]),
        (f"{LEARN} --d-model 10 --n-heads 3", ["d_model = 10: must be a multiple of n_heads = 3"]),
        (f"{LEARN} --dropout 1", ["dropout = 1.0: must be at least 0 and less than 1"]),
        (f"{LEARN} --steps 0", ["steps = 0: must be at least 1"]),
        (f"{LEARN} --mix pool.tsv", ["--mix", "'pool.tsv' is not FILE:SHARE, such as pairs.tsv:0.1"]),
        (f"{LEARN} --mix :0.1", ["--mix", "':0.1' is not FILE:SHARE"]),
        (f"{LEARN} --mix pool.tsv:0.1", ["--mix", "pool.tsv: no such file"]),
        *((f"{LEARN} --mix pool.tsv:{share}", ["--mix", f"'{share}': {NO_SHARE}"])
          for share in ("", "much", "0", "-1", "nan", "1e9")),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("folder", "corpus")
def test_bad_input_is_one_line_and_writes_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, said: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "names.txt", "Ayşe", "Luca")
    written(tmp_path / "slots.tsv", "{what}?\t{what}?")
    before = set(tmp_path.iterdir())
    refused(run(*shlex.split(command)), *said)
    assert set(tmp_path.iterdir()) == before


class TestHelp:
    def test_it_is_fast_because_it_does_without_torch(self) -> None:
        code = "import sys; from explainer.cli.commands import main; main(['train', '--help']); "
        code += "print('torch' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
        )
        assert done.stdout.endswith("False\n")
        assert "--tie-embeddings" in done.stdout

    def test_every_option_of_training_is_explained(self) -> None:
        docs = attribute_docs(TransformerConfig) | attribute_docs(TrainRequest)
        for field in dataclasses.fields(TrainRequest):
            assert len(docs[field.name]) > 10, field.name
        assert docs["peak"] == "Highest learning rate."


class TestTranslate:
    def test_json_and_text(self, run: Run, folder: Path) -> None:
        command = ["translate", " The  street. ", "--model", folder, "--beam", 3]
        status, text, err = run(*command)
        found = json.loads(run(*command, "--json")[1])
        assert (status, text) == (0, found["translation"] + "\n")
        assert ("cut at the limit" in err) == (not found["finished"])
        assert found["source"] == "The street."
        assert (found["beam"], found["model_step"]) == (3, 70)
        assert found["model_sha256"] == load_checkpoint(folder).sha256
        assert len(found["hypotheses"]) == 3
        scores = [hypothesis["score"] for hypothesis in found["hypotheses"]]
        assert scores == sorted(scores, reverse=True)
        assert found["translation"] == found["hypotheses"][0]["translation"]

    def test_the_log_probability_is_the_models(self, run: Run, folder: Path) -> None:
        found = json.loads(run("translate", "The street.", "--model", folder, "--beam", 1, "--json")[1])
        checkpoint = load_checkpoint(folder)
        source = [*checkpoint.tokenizer.encode("The street."), 2]
        target = [checkpoint.tokenizer.id_of(piece) for piece in found["tokens"]]
        rows = checkpoint.model(torch.tensor([source]), torch.tensor([[1, *target[:-1]]]))[0]
        assert target == rows.argmax(dim=-1).tolist()  # beam 1 is greedy search
        assert found["log_prob"] == pytest.approx(float(rows.amax(dim=-1).sum()), rel=1e-4)

    def test_markup_and_broken_unicode_are_text(self, run: Run, folder: Path) -> None:
        assert run("translate", "<s> </s> 😀 \udcff", "--model", folder, "--beam", 1)[0] == 0


class TestEvaluate:
    def test_perfect_translations_score_100(
        self, run: Run, folder: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers = ["Die Straße ist breit.", "Los!"]  # the second of two references

        def search(translator: Any, sources: list[list[int]], beam: int) -> list[tuple[Hypothesis, ...]]:
            assert len(sources) == len(answers)
            encoded = translator.checkpoint.tokenizer.encode_batch(answers)
            return [(Hypothesis((*ids, 2), -1.0, -1.0, True),) for ids in encoded]

        monkeypatch.setattr("explainer.cli.commands.search", search)
        status, out, _ = run("evaluate", "--corpus", corpus, "--model", folder, "--json")
        found = json.loads(out)
        assert status == 0
        assert (found["sentences"], found["references"], found["beam"]) == (2, 3, 4)
        assert found["bleu"] == pytest.approx(100.0)
        assert found["chrf"] == pytest.approx(100.0)
        assert "nrefs:var" in found["bleu_signature"]
        assert "version:" in found["chrf_signature"]

    @pytest.mark.parametrize("masked", [True, False])
    def test_the_loss_is_that_of_every_pair(
        self, run: Run, folder: Path, corpus: Path, tmp_path: Path, masked: bool
    ) -> None:
        """A model without a look-ahead mask is served, too: by a search without a cache."""
        old = load_checkpoint(folder)
        model = Transformer(dataclasses.replace(old.model.config, look_ahead_mask=masked))
        model.load_state_dict(old.model.state_dict())
        save_checkpoint(tmp_path / "other", model, old.tokenizer, step=1)
        command = ["evaluate", "--corpus", corpus, "--model", tmp_path / "other", "--beam", 2]
        status, text, err = run(*command)
        assert (status, err) == (0, "")
        for said in (" BLEU (nrefs:var|", " chrF (nrefs:var|", " nats per token by", "2 sentences, beam 2"):
            assert said in text
        total, count = 0.0, 0
        for line in corpus.read_text(encoding="utf-8").splitlines():
            source, target = map(old.tokenizer.encode, line.split("\t"))
            rows = model.eval()(torch.tensor([[*source, 2]]), torch.tensor([[1, *target]]))[0]
            total += nll_loss(rows, torch.tensor([*target, 2]), reduction="sum").item()
            count += len(rows)
        assert json.loads(run(*command, "--json")[1])["nll"] == pytest.approx(total / count, rel=1e-5)

    def test_one_sentence_scores_as_sacrebleu_says(self) -> None:
        """The corpus score of one sentence with two references is its sentence score without smoothing."""
        guess = "the cat sat on the mat today"
        references = ["the cat sat on a mat", "today the cat sat on the mat"]
        expected = sentence_bleu(guess, references, smooth_method="exp", use_effective_order=False)
        assert compare([guess], [references])["bleu"] == pytest.approx(expected.score)

    def test_all_translations_of_a_sentence_are_its_references(self) -> None:
        pairs = [SentencePair("Go.", "Geh."), SentencePair("Hi.", "Hallo."), SentencePair("Go.", "Los!")]
        assert grouped(pairs) == {"Go.": ["Geh.", "Los!"], "Hi.": ["Hallo."]}

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"Go.\tGeh.\nno tab\n", "line 2: expected two columns separated by a tab, found one"),
            (b"Go.\tGeh.\nG\xfc\tx\n\tx\n", "line 2: not UTF-8 at byte 1 (0xfc) (and 1 more)"),
            (b"Go.\t\n", "line 1: the target is empty"),
            (b"", "no sentence pairs"),
            (b"wide " * 75 + b"\tbreit\n", "tokens, the limit is 63"),
            (b"wide\t" + b"breit " * 75 + b"\n", "tokens, the limit is 63"),
        ],
    )
    def test_a_corpus_that_cannot_be_used(
        self, run: Run, folder: Path, corpus: Path, content: bytes, said: str
    ) -> None:
        corpus.write_bytes(content)
        refused(run("evaluate", "--corpus", corpus, "--model", folder), "pairs.tsv", said)


class TestTrain:
    def test_a_run_then_its_average(self, run: Run, corpus: Path, tmp_path: Path) -> None:
        runs = tmp_path / "runs"
        options = ["--corpus", corpus, "--valid", corpus, "--runs-dir", runs, "--name", "small", *TINY]
        status, out, err = run("train", *options, "--steps", 6, "--save-every", 2, "--no-tie-embeddings")
        assert (status, err) == (0, "")
        assert "pairs.tsv: 3 pairs, 0 unreadable lines" in out
        assert out.endswith("finished\n")
        folder = RunFolder(runs / "small")
        request = folder.request()
        assert (request.steps, request.d_model, request.tie_embeddings) == (6, 8, False)
        assert request.corpus == str(corpus.resolve())
        assert request.dropout == TrainRequest(corpus="").dropout

        status, out, err = run("average", runs / "small", "--last", 2, "--out", tmp_path / "mean")
        assert (status, err) == (0, "")
        assert "steps 4, 6" in out
        four, six = (load_file(folder.step_folder(step) / "model.safetensors") for step in (4, 6))
        for name, value in load_file(tmp_path / "mean" / "model.safetensors").items():
            assert torch.equal(value, ((four[name].double() + six[name].double()) / 2).half()), name
        assert run("translate", "Go.", "--model", tmp_path / "mean")[0] == 0

        refused(run("train", *options), "already holds a run")
        refused(run("train", *options, "--resume", "--dropout", 0.3), "was begun with --dropout 0.1")
        assert run("train", *options, "--resume", "--steps", 6)[0] == 0
        refused(
            run("average", runs / "small", "--last", 4, "--out", tmp_path / "mean"),
            "3 saved steps, asked to average 4",
        )

    def test_a_second_file_is_mixed_in(self, run: Run, corpus: Path, tmp_path: Path) -> None:
        pool = written(tmp_path / "pool.tsv", "One.\tEins.", "Two.\tZwei.")
        options = ["--runs-dir", tmp_path / "runs", *TINY]
        status, out, err = run("train", "--corpus", corpus, "--mix", f"{pool}:1", "--steps", 4, *options)
        assert (status, err) == (0, "")
        assert "pool.tsv: 2 pairs, 0 unreadable lines\n  3 of them in each epoch" in out
        request = RunFolder(tmp_path / "runs" / "run").request()
        assert (request.mix, request.mix_share) == (str(pool.resolve()), 1)
        assert run("train", "--resume", "--mix", f"{pool}:1.0", *options)[0] == 0
        refused(run("train", "--resume", "--mix", f"{pool}:2", *options), f"begun with --mix {pool}:1.0;")

    def test_an_old_run_is_told_which_file_it_mixed_in(self, run: Run, corpus: Path, tmp_path: Path) -> None:
        options = ["--runs-dir", tmp_path, *TINY, "--steps", 3]
        assert run("train", "--corpus", corpus, *options)[0] == 0
        path = tmp_path / "run" / "request.json"
        fields = json.loads(path.read_text()) | {"grammar": 1.0, "steps": 5}
        path.write_text(json.dumps({name: fields[name] for name in fields if not name.startswith("mix")}))
        go_on = ["train", "--resume", "--runs-dir", tmp_path, "--device", "cpu"]
        refused(run(*go_on), "go on with train --resume --mix FILE:1.0")

        pool = written(tmp_path / "pool.tsv", "no tab")
        refused(run(*go_on, "--mix", f"{pool}:1"), "nothing to mix in", "expected two columns")
        written(pool, "One.\tEins.")
        refused(run(*go_on, "--mix", f"{pool}:2"), "begun with --mix FILE:1.0;")
        assert run(*go_on, "--mix", f"{pool}:1")[0] == 0
        assert run(*go_on)[0] == 0  # from now on it knows the file
        assert RunFolder(tmp_path / "run").last_saved_step() == 5

    def test_a_corpus_that_cannot_be_used_leaves_no_run(self, run: Run, corpus: Path, tmp_path: Path) -> None:
        corpus.write_bytes(b"no tab\nG\xfc\tx\n")
        result = run("train", "--runs-dir", tmp_path / "runs", "--corpus", corpus, *TINY)
        refused(result, "pairs.tsv: 0 pairs, 2 unreadable lines line 1: expected two columns")
        assert not (tmp_path / "runs" / "run").exists()


class TestDistil:
    def test_a_student_learns_from_a_teacher_with_its_vocabulary(
        self, run: Run, corpus: Path, tmp_path: Path
    ) -> None:
        taught = tmp_path / "taught.tsv.gz"
        status, out, err = run("distil", "--corpus", corpus, "--out", taught, "--beam", 2, "--device", "cpu")
        assert (status, err) == (0, "")
        assert "2 pairs, 0 sentences left out" in out  # “Go.” stands there twice
        pairs = {pair.source: pair.target for pair in read_pairs(taught).pairs}
        for sentence in ("The street is wide.", "Go."):
            assert run("translate", sentence, "--beam", 2)[1] == pairs[sentence] + "\n"

        vocabulary = PRETRAINED / "translator" / "tokenizer.json"
        options = ["--corpus", taught, "--tokenizer", vocabulary, "--runs-dir", tmp_path, *TINY]
        assert run("train", *options, "--steps", 2)[0] == 0
        student = load_checkpoint(RunFolder(tmp_path / "run").step_folder(2))
        assert student.tokenizer.to_str() == Tokenizer.load(vocabulary).to_str()
        assert student.model.config.vocab_size == len(student.tokenizer)

    @pytest.mark.parametrize("content", [b"not JSON", b"{}", b"\xff"])
    def test_a_vocabulary_that_cannot_be_used(
        self, run: Run, corpus: Path, tmp_path: Path, content: bytes
    ) -> None:
        (tmp_path / "tokenizer.json").write_bytes(content)
        options = ["--corpus", corpus, "--tokenizer", tmp_path / "tokenizer.json", "--runs-dir", tmp_path]
        status, _, err = run("train", *options, *TINY)
        assert status == 2
        assert f"{tmp_path / 'tokenizer.json'}: " in err
        assert not (tmp_path / "run").exists()


class TestTrace:
    def test_a_trace_is_the_pass_of_its_translation(self, run: Run, folder: Path, tmp_path: Path) -> None:
        status, out, err = run("trace", "The street.", "--out", tmp_path / "t.npz", "--model", folder)
        assert (status, err) == (0, "")
        assert str(tmp_path / "t.npz") in out
        found = Trace.load(tmp_path / "t.npz")
        greedy = json.loads(run("translate", "The street.", "--model", folder, "--beam", 1, "--json")[1])
        assert found.info.source[-1] == "</s>"
        assert list(found.info.predicted) == greedy["tokens"]
        assert found["head.hook_log_probs"].shape == (len(greedy["tokens"]), 340)
        weights = found["decoder.layers.0.cross_attention.attend.hook_weights"]
        np.testing.assert_allclose(weights.sum(axis=-1), 1.0, rtol=1e-5)


def test_as_a_process_bad_input_is_one_line_and_status_2(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "explainer", "evaluate", "--corpus", str(tmp_path / "no.tsv")]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {tmp_path / 'no.tsv'}: No such file or directory\n"
