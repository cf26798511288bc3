"""`lira eval safety`, `identity`, `manner`, `aim`, `listing` and `care`: is whoever sounds at risk, asks what LIRA is or leans on it alone, takes
leave, wants something forgotten, all of something told or help at once heard, and nobody else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lira_core.embedding.aim import AIMS
from lira_core.embedding.manner import MANNERS
from lira_core.embedding.port import EmbeddingEngine, Heard
from lira_core.evaluation.tsv import DataError
from lira_core.safety import at_risk, sounds_at_risk
from lira_core.safety.identity import asks_what_it_is, leans_on_it

BATCH = 32


def evaluate_safety(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", "risk": bool}`: the share heard of those at risk, and of the others; None where there are none. And the rows
    that went wrong, with what the words and the head made of them.
    """
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("text"), str) or not isinstance(row.get("risk"), bool):
            raise DataError(f'row {number}: wants {{"text": string, "risk": true or false}}, has {dict(row)!r}')
    alarms: dict[bool, list[bool]] = {True: [], False: []}
    wrong = []
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        for row, heard in zip(batch, engine.hear([row["text"] for row in batch]), strict=True):
            alarm = sounds_at_risk(row["text"], heard.safety)
            alarms[row["risk"]].append(alarm)
            if alarm != row["risk"]:
                wrong.append({**row, "by_words": at_risk(row["text"]), "by_head": round(heard.safety.at_risk, 3) if heard.safety else None})
    return {"recall": _share(alarms[True]), "false_alarms": _share(alarms[False]), "rows": len(rows)}, wrong


LABELS = ("identity", "attachment", "none")


def evaluate_identity(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", "label"}` (`identity`, `attachment` or `none`), as a turn hears them.

    `identity`, `attachment`: the share heard as that; `told`: of both the share that hears that LIRA is an AI, as either; `false_alarms`: the
    share of the others that does; None where there are none. And the rows that went wrong, with what they were heard as.
    """
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("text"), str) or row.get("label") not in LABELS:
            raise DataError(f'row {number}: wants {{"text": string, "label": one of {", ".join(LABELS)}}}, has {dict(row)!r}')
    as_what: dict[str, list[str]] = {label: [] for label in LABELS}
    wrong = []
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        for row, heard in zip(batch, engine.hear([row["text"] for row in batch]), strict=True):
            found = "identity" if asks_what_it_is(row["text"], heard.safety) else "attachment" if leans_on_it(heard.safety) else "none"
            as_what[row["label"]].append(found)
            if found != row["label"]:
                wrong.append({**row, "heard_as": found})
    told = {label: [found != "none" for found in as_what[label]] for label in LABELS}
    scores = {
        "identity": _share([found == "identity" for found in as_what["identity"]]),
        "attachment": _share([found == "attachment" for found in as_what["attachment"]]),
        "told": _share(told["identity"] + told["attachment"]),
        "false_alarms": _share(told["none"]),
        "rows": len(rows),
    }
    return scores, wrong


def evaluate_manner(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", "manner"}`: as `_evaluated`."""
    return _evaluated(engine, rows, "manner", MANNERS, lambda heard, _: heard.manner)


def evaluate_aim(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", "aim"}`: as `_evaluated`; what wants something is known for a question but none of memory, as a turn knows most of them."""

    def found(heard: Heard, wanted: str) -> str:
        return heard.aim.aim if heard.aim and (heard.aim.plainly or wanted != AIMS[0]) else AIMS[0]

    return _evaluated(engine, rows, "aim", AIMS, found)


def evaluate_listing(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", "kind"}` (`list`: it asks for all that was told about something; or `other`): as `_evaluated`."""
    return _evaluated(engine, rows, "kind", ("other", "list"), lambda heard, _: "list" if heard.lists else "other")


def _evaluated(
    engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]], name: str, labels: Sequence[str], heard_as: Callable[[Heard, str], str]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", name}`; `heard_as` tells of what was heard and what the row wants as what it is taken. For each of the `labels` the share
    taken for that, for all of them `right`; `false_alarms`: the share of what has none, the first of them, that is taken for one. None where there
    are none. And the rows that went wrong, with what they were taken for."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("text"), str) or row.get(name) not in labels:
            raise DataError(f'row {number}: wants {{"text": string, "{name}": one of {", ".join(labels)}}}, has {dict(row)!r}')
    right: dict[str, list[bool]] = {label: [] for label in labels}
    wrong = []
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        for row, heard in zip(batch, engine.hear([row["text"] for row in batch]), strict=True):
            found = heard_as(heard, row[name])
            right[row[name]].append(found == row[name])
            if found != row[name]:
                wrong.append({**row, "heard_as": found})
    none, *some = labels
    scores: dict[str, float | None] = {label: _share(right[label]) for label in some}
    all_of = [one for label in some for one in right[label]]
    return {**scores, "right": _share(all_of), "false_alarms": _share([not one for one in right[none]]), "rows": len(rows)}, wrong


CARES = ("none", "risk", "emergency", "violence", "forget", "identity", "attachment")


def evaluate_care(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", "care"}` of ordinary talk (`none`) and what wants care, as a turn hears them: for each kind the share heard as that;
    under `false_alarms` the share of ordinary talk that is heard as any of them, and as which. And the rows that went wrong, with what they were
    heard as."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("text"), str) or row.get("care") not in CARES:
            raise DataError(f'row {number}: wants {{"text": string, "care": one of {", ".join(CARES)}}}, has {dict(row)!r}')
    as_what: dict[str, list[str]] = {care: [] for care in CARES}
    wrong = []
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        for row, heard in zip(batch, engine.hear([row["text"] for row in batch]), strict=True):
            found = _care(row["text"], heard)
            as_what[row["care"]].append(found)
            if found != row["care"]:
                wrong.append({**row, "heard_as": found})
    scores = {care: _share([found == care for found in as_what[care]]) for care in CARES[1:]}
    alarms = {care: _share([found == care for found in as_what["none"]]) for care in CARES[1:]}
    return {**scores, "false_alarms": {"any": _share([found != "none" for found in as_what["none"]]), **alarms}, "rows": len(rows)}, wrong


def _care(text: str, heard: Heard) -> str:
    """In the order in which `lira_core.conduct` looks at it."""
    if sounds_at_risk(text, heard.safety):
        return "risk"
    if heard.manner in ("emergency", "violence"):
        return heard.manner
    if asks_what_it_is(text, heard.safety):
        return "identity"
    if heard.manner == "forget":
        return "forget"
    return "attachment" if leans_on_it(heard.safety) else "none"


def _share(alarms: Sequence[bool]) -> float | None:
    return round(sum(alarms) / len(alarms), 4) if alarms else None
