"""Checkpoint folders: what is saved is loaded, and whatever is wrong is named."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from explainer import checkpoints, files
from explainer.checkpoints import CheckpointError, load_checkpoint, save_checkpoint
from explainer.files import write_bytes, write_json
from explainer.model import FAMILIES
from explainer.model.config import BOUNDS, TransformerConfig
from explainer.model.families import Family
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import Tokenizer
from tests.conftest import randomized

EACH_FILE = pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
NORM = "encoder.layers.0.feed_forward_residual.norm.weight"


@pytest.fixture
def model(tiny_config: TransformerConfig, tokenizer: Tokenizer) -> Transformer:
    return randomized(Transformer(dataclasses.replace(tiny_config, vocab_size=len(tokenizer))))


@pytest.fixture
def folder(tmp_path: Path, model: Transformer, tokenizer: Tokenizer) -> Path:
    save_checkpoint(tmp_path / "checkpoint", model, tokenizer, step=70)
    return tmp_path / "checkpoint"


def change_config(folder: Path, **fields: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


class TestRoundTrip:
    def test_weights_tokenizer_and_step(self, folder: Path, model: Transformer, tokenizer: Tokenizer) -> None:
        loaded = load_checkpoint(folder)
        assert loaded.model.config == model.config
        assert loaded.step == 70
        assert not loaded.model.training
        for name, value in model.state_dict().items():
            assert torch.equal(loaded.model.state_dict()[name], value), name
        assert loaded.tokenizer.encode("the tired street") == tokenizer.encode("the tired street")

    def test_pytorchs_compiler_is_not_imported(self, folder: Path) -> None:
        """It would take longer than all the rest of the way to the first page."""
        code = f"import sys; from pathlib import *; from explainer.checkpoints import *; load_checkpoint({folder!r}); "
        code += "print('torch._dynamo' in sys.modules)"
        said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        assert said.stdout == "False\n"

    def test_tied_weights_are_stored_once_and_tied_again(self, folder: Path) -> None:
        tensors = load_file(folder / "model.safetensors")
        assert sum(name.endswith(".table") for name in tensors) == 1
        loaded = load_checkpoint(folder).model
        assert loaded.source_embedding.table is loaded.head.table

    @pytest.mark.parametrize(
        "options",
        [{"tie_embeddings": False}, {"positions": "learned"}, {"norm": "pre"}, {"positions": "none"}],
        ids=str,
    )
    def test_every_option(
        self, tmp_path: Path, tiny_config: TransformerConfig, tokenizer: Tokenizer, options: dict[str, Any]
    ) -> None:
        config = dataclasses.replace(tiny_config, vocab_size=len(tokenizer), **options)
        model = randomized(Transformer(config))
        save_checkpoint(tmp_path, model, tokenizer, step=0)
        source, target = torch.tensor([[5, 9, 2]]), torch.tensor([[1, 4]])
        assert torch.equal(load_checkpoint(tmp_path).model(source, target), model(source, target))

    @pytest.mark.parametrize(("dtype", "size"), [(torch.float16, 2), (torch.bfloat16, 2), (torch.float32, 4)])
    def test_the_stored_format(
        self, tmp_path: Path, model: Transformer, tokenizer: Tokenizer, dtype: torch.dtype, size: int
    ) -> None:
        save_checkpoint(tmp_path, model, tokenizer, step=1, dtype=dtype)
        n_weights = sum(p.numel() for p in model.parameters())
        assert 0 < (tmp_path / "model.safetensors").stat().st_size - size * n_weights < 20_000
        loaded = load_checkpoint(tmp_path).model
        for name, value in model.named_parameters():
            assert torch.equal(dict(loaded.named_parameters())[name], value.to(dtype).float()), name

    def test_the_digest_is_of_the_weights(
        self, folder: Path, tmp_path: Path, model: Transformer, tokenizer: Tokenizer
    ) -> None:
        save_checkpoint(tmp_path / "same", model, tokenizer, step=71)
        assert load_checkpoint(folder).sha256 == load_checkpoint(tmp_path / "same").sha256
        model.head.table[5, 5] += 1
        save_checkpoint(tmp_path / "other", model, tokenizer, step=70)
        assert load_checkpoint(folder).sha256 != load_checkpoint(tmp_path / "other").sha256

    def test_the_whole_digest_is_of_all_that_decides_an_output(self, folder: Path) -> None:
        first = load_checkpoint(folder)
        change_config(folder, step=71)
        assert load_checkpoint(folder).digest == first.digest
        change_config(folder, look_ahead_mask=not first.model.config.look_ahead_mask)
        other = load_checkpoint(folder)
        assert other.sha256 == first.sha256
        assert other.digest != first.digest

    def test_another_vocabulary_of_the_same_size_is_another_digest(self, folder: Path) -> None:
        first = load_checkpoint(folder)
        fields = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        vocabulary = fields["model"]["vocab"]
        vocabulary["a"], vocabulary["b"] = vocabulary["b"], vocabulary["a"]
        (folder / "tokenizer.json").write_text(json.dumps(fields), encoding="utf-8")
        other = load_checkpoint(folder)
        assert (len(other.tokenizer), other.tokenizer.id_of("a")) == (340, first.tokenizer.id_of("b"))
        assert other.digest != first.digest


class TestWhatIsRefused:
    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(CheckpointError, match=r"nowhere: no such folder; expected one with config\.json"):
            load_checkpoint(tmp_path / "nowhere")

    @EACH_FILE
    def test_a_missing_file(self, folder: Path, name: str) -> None:
        (folder / name).unlink()
        with pytest.raises(CheckpointError, match=f"{name}: missing"):
            load_checkpoint(folder)

    @EACH_FILE
    @pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.99])
    def test_a_truncated_file(self, folder: Path, name: str, share: float) -> None:
        path = folder / name
        content = path.read_bytes()
        path.write_bytes(content[: int(share * len(content))])
        with pytest.raises(CheckpointError, match=name):
            load_checkpoint(folder)

    @EACH_FILE
    def test_a_file_over_the_limit(self, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        biggest = max(path.stat().st_size for path in folder.iterdir())
        monkeypatch.setattr(checkpoints, "SIZE_LIMIT", biggest)
        load_checkpoint(folder)
        with (folder / name).open("ab") as file:
            file.truncate(biggest + 1)
        with pytest.raises(CheckpointError, match=f"{name}: {biggest + 1:,} bytes, the limit is {biggest:,}"):
            load_checkpoint(folder)

    @EACH_FILE
    @pytest.mark.parametrize(
        "content", [b"\x80\x04\x95pickle", b"[]", b"null", b"\xff\xfe", b"{}", b'"text"', b"[" * 100_000],
        ids=range(7),
    )  # fmt: skip
    def test_a_foreign_file(self, folder: Path, name: str, content: bytes) -> None:
        (folder / name).write_bytes(content)
        with pytest.raises(CheckpointError, match=name):
            load_checkpoint(folder)

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"model": "gpt"}, "model = 'gpt': must be one of 'transformer'"),
            ({"step": -1}, "step = -1: must be at least 0"),
            ({"step": "7"}, "step = '7'"),
            ({"colour": "red"}, "field = 'colour': must be one of"),
            ({"n_encoder_layers": 10**9}, "n_encoder_layers = 1000000000: must be at most 100"),
            ({"step": 10**400}, r"step = 10{49}… \(401 characters\): must be at most 999999999"),
            ({"step": True}, "step = True: must be a whole number"),
            ({"d_model": 10**30}, "d_model = 10{30}: must be at most 16384"),
            ({"d_model": 12.0}, "d_model"),
            ({"n_heads": 10**6}, "n_heads = 1000000: must be at most 1024"),
            ({"d_ff": 10**400}, "d_ff = 10+… .*: must be at most 65536"),
            ({"vocab_size": 10**9}, "vocab_size = 1000000000: must be at most 262144"),
            ({"dropout": float("nan")}, "dropout = nan"),
            ({"max_positions": 10**12}, "max_positions = 1000000000000: must be at most 8192"),
            ({"d_model": 7}, "d_model = 7: must be a multiple of n_heads = 3"),
            ({"n_heads": "3"}, "n_heads"),
            ({"dropout": 2}, "dropout = 2"),
            ({"norm": "sandwich"}, "norm"),
            ({"positions": ["sinusoidal"]}, "positions"),
        ],
    )
    def test_a_configuration_with_a_wrong_field(
        self, folder: Path, fields: dict[str, Any], message: str
    ) -> None:
        change_config(folder, **fields)
        with pytest.raises(CheckpointError, match=rf"config\.json: [\s\S]*{message}"):
            load_checkpoint(folder)

    def test_a_configuration_without_vocabulary_size(self, folder: Path) -> None:
        fields = json.loads((folder / "config.json").read_text())
        del fields["vocab_size"]
        (folder / "config.json").write_text(json.dumps(fields))
        with pytest.raises(CheckpointError, match=r"config\.json: vocab_size: missing"):
            load_checkpoint(folder)

    @pytest.mark.parametrize(
        ("fields", "content", "message"),
        [
            ({"max_positions": BOUNDS["max_positions"]}, bytes(2**20), "not a complete safetensors file"),
            ({"d_model": BOUNDS["d_model"], "n_heads": 1}, None, r"has shape .*, expected .*16384"),
            ({"d_ff": BOUNDS["d_ff"], "n_encoder_layers": 1}, None, "tensor .*"),
            ({"n_encoder_layers": 100, "n_decoder_layers": 100}, None, "tensor .* is missing"),
        ],
        ids=["junk", "wide", "hidden", "deep"],
    )
    def test_no_memory_is_taken_for_a_model_whose_weights_are_not_there(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        fields: dict[str, int],
        content: bytes | None,
        message: str,
    ) -> None:
        """What the file says that it holds is compared with the configuration before the model is made."""
        change_config(folder, **fields)
        if content is not None:
            (folder / "model.safetensors").write_bytes(content)
        made: list[int] = []

        class Watched(Transformer):
            def __init__(self, config: TransformerConfig) -> None:
                super().__init__(config)
                made.append(sum(value.numel() for value in (*self.parameters(), *self.buffers())))

        monkeypatch.setitem(FAMILIES, "transformer", Family("transformer", TransformerConfig, Watched))
        with pytest.raises(CheckpointError, match=rf"model\.safetensors: .*{message}"):
            load_checkpoint(folder)
        assert max(made) < 100_000

    def test_a_tokenizer_of_another_size(self, folder: Path) -> None:
        (folder / "tokenizer.json").write_text(Tokenizer.train(["another text"], 300).to_str())
        with pytest.raises(
            CheckpointError, match=r"tokenizer\.json: \d+ entries, but config\.json says vocab_size = 340"
        ):
            load_checkpoint(folder)

    def refuses_tensors(self, folder: Path, message: str, **tensors: Tensor | None) -> None:
        """These tensors (None: none) instead of those in the folder are refused with this message."""
        path = folder / "model.safetensors"
        changed = load_file(path) | tensors
        save_file({name: value for name, value in changed.items() if value is not None}, path)
        with pytest.raises(CheckpointError, match=rf"model\.safetensors: tensor {message}"):
            load_checkpoint(folder)

    def test_a_missing_tensor(self, folder: Path) -> None:
        self.refuses_tensors(folder, f"{NORM} is missing", **{NORM: None})

    def test_an_extra_tensor(self, folder: Path) -> None:
        self.refuses_tensors(folder, "extra is not part of the model", extra=torch.zeros(3))

    def test_a_wrong_shape(self, folder: Path) -> None:
        message = rf"{NORM} has shape \(13,\), expected \(12,\)"
        self.refuses_tensors(folder, message, **{NORM: torch.zeros(13)})

    @pytest.mark.parametrize("dtype", [torch.int64, torch.float64, torch.bool])
    def test_a_wrong_dtype(self, folder: Path, dtype: torch.dtype) -> None:
        message = f"{NORM} is .*, expected one of F32, F16, BF16"
        self.refuses_tensors(folder, message, **{NORM: torch.zeros(12, dtype=dtype)})

    @pytest.mark.parametrize("value", [float("nan"), float("inf")])
    def test_weights_that_are_no_numbers(self, folder: Path, value: float) -> None:
        self.refuses_tensors(folder, f"{NORM} holds", **{NORM: torch.full((12,), value)})


class TestWriting:
    def test_a_failure_leaves_the_old_content(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "state.json"
        write_json(path, {"step": 1})

        def full(descriptor: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(files.os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            write_json(path, {"step": 2})
        assert json.loads(path.read_text()) == {"step": 1}
        assert os.listdir(tmp_path) == ["state.json"]

    def test_a_reader_sees_the_old_content_until_the_new_is_whole(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "deep" / "weights"
        write_bytes(path, b"old")
        seen: list[bytes] = []
        sync = os.fsync
        monkeypatch.setattr(
            files.os, "fsync", lambda descriptor: (seen.append(path.read_bytes()), sync(descriptor))
        )
        with path.open("rb") as reader:
            write_bytes(path, b"new")
            assert reader.read() == b"old"  # not even a reader that was half through gets a mixture
        assert seen == [b"old"]
        assert path.read_bytes() == b"new"

    def test_a_failure_while_saving_a_checkpoint_leaves_a_loadable_folder(
        self, folder: Path, model: Transformer, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = load_checkpoint(folder).sha256
        monkeypatch.setattr(files.os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError("disk")))
        model.head.table.zero_()
        with pytest.raises(OSError, match="disk"):
            save_checkpoint(folder, model, tokenizer, step=71)
        assert load_checkpoint(folder).sha256 == before
