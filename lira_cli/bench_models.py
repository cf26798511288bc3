"""`lira bench models`: each model's engine against the plain `transformers` pipeline, on the same device in the same run."""

from __future__ import annotations

import asyncio
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer

from lira_cli.bench import SAID, tell
from lira_core import engines
from lira_core.embedding.port import EmbeddingEngine
from lira_core.emotion.labels import EMOTIONS
from lira_core.emotion.port import EmotionEngine
from lira_core.model_folder import TOKENIZER_FILE, trunk_folder
from lira_core.settings import Settings, load_settings

BATCHES = (1, 8, 32, 128)
LONG = "그래서 어제는 하루 종일 집에 있었는데 " * 4
"""What every eighth text goes on with: what people say differs in length, and padding is what a batch of it costs."""
BASE_SIZES = {"num_hidden_layers": 12, "hidden_size": 384, "num_attention_heads": 12, "intermediate_size": 1536}
"""Of the bundled models: eight layers of `lira-trunk` and four of `lira-emotion` or `lira-encoder` (their README.md)."""
MATMUL = 8192
"""Sides of the matrices whose product is the peak: beyond it a GPU's own rate no longer rises."""


def run(*, seconds: float, threads: int) -> None:
    """Prints one JSON line per model, engine and batch size. Each is measured for `seconds`, in turns with the pipeline, on `threads` cores."""
    settings = load_settings()
    torch = _torch(threads)
    device = "cpu"
    if torch is not None and torch.cuda.is_available() and settings.device != "cpu":
        device = torch.cuda.get_device_name()
    with tempfile.TemporaryDirectory() as folder:
        for model, engine, opened in (("emotion", settings.emotion_engine, _emotion), ("embedding", settings.embedding_engine, _embedding)):
            if engine != "cohere":
                # What else runs on the machine does not count against a core's own seconds; a GPU's work is no time of this process.
                clock = time.process_time if device == "cpu" and threads == 1 else time.perf_counter
                _measure(model, engine, opened(settings), _plain(model, settings, Path(folder), torch), seconds, device, clock)
    _queued(settings, seconds, device)
    if device != "cpu":
        _share_of_peak(settings, torch, seconds, device)


Work = Callable[[Sequence[str]], object]


def texts(count: int) -> list[str]:
    """What people say, an eighth of it long; no two alike, so that nothing is answered from a cache."""
    return [f"{text} {LONG if i % 8 == 7 else ''}{i}" for i, text in zip(range(count), itertools.cycle(SAID))]


def _torch(threads: int) -> Any:
    if not find_spec("torch") or not find_spec("transformers"):
        typer.echo("torch and transformers are not installed (pip install 'lira[gpu]'): the engines are measured alone.", err=True)
        return None
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    torch.set_num_threads(threads)
    with suppress(RuntimeError):  # it can be set once
        torch.set_num_interop_threads(1)
    return torch


def _emotion(settings: Settings) -> Work:
    engine: EmotionEngine = engines.emotion_engine(settings)
    return engine.read


def _embedding(settings: Settings) -> Work:
    engine: EmbeddingEngine = engines.embedding_engine(settings)
    return lambda texts: engine.embed([("query", text) for text in texts])


def _plain(model: str, settings: Settings, folder: Path, torch: Any) -> Work | None:
    """The pipeline of transformers as it comes, fp32 on a CPU: the settings' own checkpoint, or for an ONNX model one of the same size."""
    if torch is None:
        return None
    import transformers

    task = {"emotion": "text-classification", "embedding": "feature-extraction"}[model]
    named = getattr(settings, f"{model}_model") if getattr(settings, f"{model}_engine") == "transformers" else None
    place = "cuda" if torch.cuda.is_available() and settings.device != "cpu" else "cpu"
    pipeline = transformers.pipeline(task, model=named or str(_alike(model, settings, folder / model)), device=place)
    options: dict[str, Any] = {"truncation": True, "max_length": 256} | ({"top_k": None} if model == "emotion" else {})
    if model == "embedding":
        return lambda texts: pipeline(list(texts), batch_size=len(texts), return_tensors=True, tokenize_kwargs=options)
    return lambda texts: pipeline(list(texts), batch_size=len(texts), **options)


def _alike(model: str, settings: Settings, folder: Path) -> Path:
    """A checkpoint as large as the bundled model, with its tokenizer: how long it takes does not depend on what its weights are."""
    import transformers

    directory: Path = getattr(settings, f"{model}_model_dir")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str((trunk_folder(directory) or directory) / TOKENIZER_FILE), pad_token="<pad>", unk_token="<unk>", model_max_length=512
    )
    config = transformers.BertConfig(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, num_labels=len(EMOTIONS), **BASE_SIZES)
    config.problem_type = "multi_label_classification"
    kind = transformers.BertForSequenceClassification if model == "emotion" else transformers.BertModel
    kind(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _measure(model: str, engine: str, work: Work, plain: Work | None, seconds: float, device: str, clock: Callable[[], float]) -> None:
    for size in BATCHES:
        batch = texts(size)
        took: dict[str, list[float]] = {engine: [], "pipeline": []}
        works: dict[str, Work] = {engine: work} | ({"pipeline": plain} if plain is not None else {})
        for one in works.values():
            one(batch)
        ends = time.perf_counter() + seconds * len(works)
        # In turns, so that what else the machine does falls on both.
        while time.perf_counter() < ends or len(took[engine]) < 3:
            for name, one in works.items():
                began = clock()
                one(batch)
                took[name].append(clock() - began)
        rates = {name: size / statistics.median(times) for name, times in took.items() if times}
        for name, rate in rates.items():
            told: dict[str, Any] = {"texts_per_second": round(rate, 1), "ms": round(1000 * size / rate, 2)}
            if name != "pipeline" and plain is not None:
                told["ratio"] = round(rate / rates["pipeline"], 2)
            tell("model", model=model, engine=name, batch=size, **told, clock=clock.__name__, device=device)


def _queued(settings: Settings, seconds: float, device: str) -> None:
    """Texts that arrive one by one, so many at once, through the queue and its batches as a turn asks."""

    async def asked(at_once: int) -> float:
        async with engines.closing(engines.open_emotion(settings)) as emotion:
            await emotion.read("오늘 기분 어때?")
            numbers, began = itertools.count(), time.perf_counter()
            pool = texts(256)

            async def caller() -> int:
                count = 0
                while time.perf_counter() - began < seconds:
                    await emotion.read(pool[next(numbers) % len(pool)])
                    count += 1
                return count

            return sum(await asyncio.gather(*(caller() for _ in range(at_once)))) / (time.perf_counter() - began)

    for at_once in BATCHES:
        rate = asyncio.run(asked(at_once))
        tell("queue", model="emotion", engine=settings.emotion_engine, at_once=at_once, texts_per_second=round(rate, 1), device=device)


def _share_of_peak(settings: Settings, torch: Any, seconds: float, device: str) -> None:
    """Texts of 32 tokens through a base-size classifier in bf16, as a share of the measured peak of a matrix product."""
    import transformers

    from lira_core.torch_model import Place, TorchTextModel

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = transformers.BertConfig(vocab_size=44_000, num_labels=len(EMOTIONS), pad_token_id=1)
        transformers.BertForSequenceClassification(config).save_pretrained(folder)
        directory = settings.emotion_model_dir
        tokenizer = transformers.PreTrainedTokenizerFast(
            tokenizer_file=str((trunk_folder(directory) or directory) / TOKENIZER_FILE), pad_token="<pad>", unk_token="<unk>", model_max_length=512
        )
        tokenizer.save_pretrained(folder)
        for compiled in (False, True):
            place = Place("cuda", "bf16", compile=compiled)
            model = TorchTextModel(
                str(folder), "AutoModelForSequenceClassification", lambda output, mask: output.logits, place, setting="lira bench models"
            )
            rows = [[2 + i % 1000] * 32 for i in range(512)]
            weights = sum(p.numel() for n, p in model._model.named_parameters() if "embeddings" not in n)
            # Two operations for each weight and token, and the two products of attention.
            work = 512 * 32 * (2 * weights + 4 * 32 * config.hidden_size * config.num_hidden_layers)
            for _ in range(5):
                model.values(model.infer(rows))
            began, done = time.perf_counter(), 0
            while time.perf_counter() - began < seconds:
                # Two in flight, as the queue has them.
                first, second = model.infer(rows), model.infer(rows)
                model.values(first), model.values(second)
                done += 2
            rate = done * work / (time.perf_counter() - began)
            peak = _matmul_peak(torch, seconds)
            tell(
                "peak", engine="transformers", compile=compiled, tokens=32, batch=512, teraflops=round(rate / 1e12, 1),
                matmul_teraflops=round(peak / 1e12, 1), share=round(rate / peak, 3), device=device,
            )  # fmt: skip


def _matmul_peak(torch: Any, seconds: float) -> float:
    """Operations a second of a bf16 product of square matrices."""
    a, b = (torch.randn(MATMUL, MATMUL, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    for _ in range(3):
        a @ b
    torch.cuda.synchronize()
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        for _ in range(10):
            a @ b
        torch.cuda.synchronize()
        done += 10
    return done * 2 * float(MATMUL) ** 3 / (time.perf_counter() - began)
