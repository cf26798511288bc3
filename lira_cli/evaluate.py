"""`lira eval`: the model's and the memory's figures on a file, each as one JSON line."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
import typer

from lira_core.emotion.labels import EMOTIONS
from lira_core.encoder import certainty_of
from lira_core.engines import embedding_engine, emotion_engine
from lira_core.evaluation.rows import lines_of, read_json_list, read_jsonl
from lira_core.evaluation.tsv import DataError
from lira_core.settings import Settings, load_settings

if TYPE_CHECKING:
    from lira_core.lira import Lira

# What a command scores is imported by it: ONNX Runtime and Kiwi are 40 MB and a second that `lira serve` and `lira doctor` would pay for as well.

app = typer.Typer(no_args_is_help=True, help="Score LIRA on a file; prints one JSON line.")
File = Annotated[Path, typer.Argument(help="The file to score on.")]
Failures = Annotated[bool, typer.Option("--show-failures", help="Tell each failed row on stderr.")]


@app.command()
def emotion(file: File, labels: Annotated[Path | None, typer.Option(help="The labels that the file's ids count in, one a line.")] = None) -> None:
    """Macro and micro F1 of the settings' emotion model on GoEmotions rows (text TAB ids), at the model's own thresholds."""
    from lira_core.evaluation.emotion import evaluate_emotion, read_emotion_rows, read_labels

    with _clear_errors():
        names = read_labels(labels) if labels else list(EMOTIONS)
        rows = read_emotion_rows(file, names)
        _print(evaluate_emotion(emotion_engine(load_settings()), rows, names))


@app.command()
def similarity(
    file: File,
    fit: Annotated[bool, typer.Option("--fit", help="Instead, find the LIRA_EMBEDDING_CERTAINTY of the settings' encoder on these rows.")] = False,
) -> None:
    """Spearman of the certainty against the gold score on KorSTS rows."""
    from lira_core.evaluation.similarity import evaluate_similarity, fit_certainty, read_similarity_rows

    with _clear_errors():
        settings, rows = load_settings(), read_similarity_rows(file)
        if not fit:
            _print(evaluate_similarity(embedding_engine(settings), certainty_of(settings), rows))
            return
        found = fit_certainty(embedding_engine(settings), rows)
        _print({"slope": round(found.slope, 3), "intercept": round(found.intercept, 3)})


@app.command()
def gate(file: File, show_failures: Failures = False) -> None:
    """Precision, recall and F1 of what the gate keeps."""
    from lira_core.evaluation.gate import evaluate_gate

    with _clear_errors():
        settings = load_settings()
        rows, now = read_jsonl(file), datetime.now(settings.zone)
        scores, wrong = evaluate_gate(emotion_engine(settings), embedding_engine(settings), rows, threshold=settings.emotion_gate, now=now)
        _tell(wrong if show_failures else [])
        _print(scores)


@app.command()
def reader(file: File, show_failures: Failures = False) -> None:
    """Is the statement that answers named, with the right words, and none where nothing answers (the form of data/people)."""
    from lira_core.embedding.onnx import OnnxEncoder
    from lira_core.evaluation.reader import evaluate_reader
    from lira_core.reading.onnx import OnnxReader

    with _clear_errors():
        persons = read_jsonl(file)
        settings = load_settings()
        scores, wrong = evaluate_reader(OnnxEncoder(settings.embedding_model_dir), OnnxReader(settings.reader_model_dir), persons)
        _tell(wrong if show_failures else [])
        _print(scores)


@app.command()
def safety(file: File, show_failures: Failures = False) -> None:
    """Is whoever sounds at risk heard, and nobody else."""
    from lira_core.evaluation.safety import evaluate_safety

    _heard(evaluate_safety, file, show_failures)


@app.command()
def identity(file: File, show_failures: Failures = False) -> None:
    """Is whoever asks what LIRA is, or leans on it alone, told that it is an AI, and nobody else (the form of data/identity)."""
    from lira_core.evaluation.safety import evaluate_identity

    _heard(evaluate_identity, file, show_failures)


@app.command()
def manner(file: File, show_failures: Failures = False) -> None:
    """Are greetings, leave, thanks, wishes to be forgotten and calls for help heard as such, and nothing else (the form of data/manner)."""
    from lira_core.evaluation.safety import evaluate_manner

    _heard(evaluate_manner, file, show_failures)


@app.command()
def aim(file: File, show_failures: Failures = False) -> None:
    """Is what somebody wants of LIRA who asks for nothing that they told heard, and nothing else (the form of data/aims)."""
    from lira_core.evaluation.safety import evaluate_aim

    _heard(evaluate_aim, file, show_failures)


@app.command()
def care(file: File, show_failures: Failures = False) -> None:
    """How often ordinary talk is taken for what wants care, and what wants care is heard (the form of data/ordinary)."""
    from lira_core.evaluation.safety import evaluate_care

    _heard(evaluate_care, file, show_failures)


@app.command()
def tone(file: File, show_failures: Failures = False) -> None:
    """Is what somebody said met in a fitting tone (the form of data/tone)."""
    from lira_core.evaluation.tone import evaluate_tone

    _heard(evaluate_tone, file, show_failures)


@app.command()
def response(file: File, show_failures: Failures = False) -> None:
    """Does the kind of reply that is heard fit what somebody told (the form of data/responses)."""
    from lira_core.evaluation.response import evaluate_response

    _heard(evaluate_response, file, show_failures)


@app.command()
def names(file: File, show_failures: Failures = False) -> None:
    """Is the name by which somebody says that they are called heard, and no other (the form of data/names)."""
    from lira_core.evaluation.names import evaluate_names

    _heard(evaluate_names, file, show_failures)


@app.command()
def listing(file: File, show_failures: Failures = False) -> None:
    """Is it heard that all that was told about something is asked for (the form of data/listing)."""
    from lira_core.evaluation.safety import evaluate_listing

    _heard(evaluate_listing, file, show_failures)


@app.command()
def leaning(file: File, show_failures: Failures = False) -> None:
    """Is an utterance put after what it leans on, and what stands alone after nothing (the forms of data/lines, data/told and data/talks)."""
    from lira_core.evaluation.leaning import evaluate_leaning

    _heard(evaluate_leaning, file, show_failures, in_sessions=True)


def _heard(
    evaluate: Callable[..., tuple[dict[str, Any], list[dict[str, Any]]]], file: Path, show_failures: bool, *, in_sessions: bool = False
) -> None:
    """Scores what the encoder's heads hear: of sessions (`data/lines`) line by line, unless it is about what is said one after the other."""
    from lira_core.embedding.onnx import OnnxEncoder

    with _clear_errors():
        rows = read_jsonl(file)
        scores, wrong = evaluate(OnnxEncoder(load_settings().embedding_model_dir), rows if in_sessions else list(lines_of(rows)))
        _tell(wrong if show_failures else [])
        _print(scores)


@app.command()
def memory(
    file: File,
    show_failures: Failures = False,
    generator: Annotated[Literal["grounded", "openai"] | None, typer.Option(help="What writes the answers, instead of LIRA_GENERATOR.")] = None,
) -> None:
    """Conversations replayed in this process, then questions in a new session."""
    from lira_core.evaluation.memory import evaluate_memory

    async def run(lira: Lira) -> Mapping[str, Any]:
        scores, failed = await evaluate_memory(lira, rows)
        _tell(failed if show_failures else [])
        return scores

    with _clear_errors():
        rows = read_jsonl(file)
        _print(_in_process(run, load_settings(**({"generator": generator} if generator else {}))))


@app.command()
def retrieval(file: File, conversations: Annotated[int | None, typer.Option(help="Only so many of the file's conversations.")] = None) -> None:
    """Is the evidence among the first results of a search (LoCoMo's form)."""
    from lira_core.evaluation.retrieval import evaluate_retrieval

    async def run(lira: Lira) -> Mapping[str, Any]:
        return await evaluate_retrieval(lira, samples)

    with _clear_errors():
        samples = read_json_list(file)[:conversations]
        _print(_in_process(run))


def _in_process(run: Any, settings: Settings | None = None) -> Mapping[str, Any]:
    """Runs against a LIRA of its own, in a folder that is thrown away."""
    from lira_core.lira import Lira

    async def within() -> Mapping[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            own = (settings or load_settings()).model_copy(update={"data_dir": Path(folder)})
            async with Lira.local(settings=own) as lira:
                result: Mapping[str, Any] = await run(lira)
                return result

    coroutine: Coroutine[Any, Any, Mapping[str, Any]] = within()
    return asyncio.run(coroutine)


def _tell(rows: Iterable[Mapping[str, Any]]) -> None:
    for row in rows:
        typer.echo(orjson.dumps(row).decode(), err=True)


def _print(scores: Mapping[str, Any]) -> None:
    typer.echo(orjson.dumps(scores).decode())


@contextmanager
def _clear_errors() -> Iterator[None]:
    """What is wrong with a file is one sentence and exit code 2, not a traceback."""
    try:
        yield
    except DataError as error:
        typer.echo(f"lira eval: {error}", err=True)
        raise typer.Exit(2) from None
