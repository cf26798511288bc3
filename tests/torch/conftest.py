"""What runs torch: in an environment of its own (`make test-torch`), and passed over where torch is not installed."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lira_core.model_settings import bundled_model

collect_ignore_glob = [] if importlib.util.find_spec("torch") and importlib.util.find_spec("transformers") else ["test_*.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.torch)


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's own LIRA_ variables reach a test, and nothing is looked for on the Hub."""
    for name in [name for name in os.environ if name.startswith("LIRA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


Made = Callable[..., Path]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Makes a small checkpoint with random weights, and LIRA's tokenizer: `made("BertModel", labels=..., **fields of its config)`."""
    import torch
    import transformers

    def make(architecture: str, *, labels: list[str] | None = None, **fields: Any) -> Path:
        folder = tmp_path_factory.mktemp(architecture)
        tokenizer = transformers.PreTrainedTokenizerFast(
            tokenizer_file=str(bundled_model("lira-trunk") / "tokenizer.json"), pad_token="<pad>", unk_token="<unk>", model_max_length=512
        )
        tokenizer.save_pretrained(folder)
        sizes: dict[str, Any] = {
            "vocab_size": len(tokenizer), "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
            "pad_token_id": tokenizer.pad_token_id, "initializer_range": 0.5,
        }  # fmt: skip
        if labels is not None:
            sizes |= {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}
        torch.manual_seed(7)
        getattr(transformers, architecture)(transformers.BertConfig(**sizes | fields)).save_pretrained(folder)
        return folder

    return make
