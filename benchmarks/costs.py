"""What a turn and a memory cost, for `lira capacity`: CPU by process, bytes by store; one JSON line per figure.

    LIRA_SHORT_TERM_URL=redis://HOST LIRA_RECORD_URL=mongodb://HOST/lira_costs python -m benchmarks.costs --turns 300

Serves with the settings of the environment, on empty stores of its own, and lets the invented people of `data/people` talk, as in the load tests. Of
Redis and MongoDB it counts what they hold afterwards; SQLite's file is counted whole. CPU is what the processes used, not what they waited for, so
that other work on the machine disturbs it little.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import yaml

from lira_cli.own_server import own_server
from lira_core.settings import Settings, load_settings
from loadtests import corpus

CLIENTS = 4
SETTLE_S = 8.0
"""Summaries, vectors and second looks come after the last answer."""


def apart(folder: Path) -> Path:
    """The local config with the reader in a process of its own, whose cost is then its own."""
    config = yaml.safe_load((Path(__file__).resolve().parents[1] / "cluster" / "local.yaml").read_text("utf-8"))
    config["applications"][0]["args"]["stages"]["MemoryReader"] = ["reader"]
    config["applications"][0]["deployments"].append({"name": "MemoryReader", "num_replicas": 1, "ray_actor_options": {"num_cpus": 0.1}})
    (folder / "costs.yaml").write_text(yaml.safe_dump(config))
    return folder / "costs.yaml"


def talk(port: int, turns: int) -> list[dict[str, object]]:
    """The replies to `turns` turns of CLIENTS people at a time."""
    persons, moods = corpus.people(), corpus.feelings()

    def client(number: int) -> list[dict[str, object]]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        replies: list[dict[str, object]] = []
        chance = random.Random(number)
        for user, text in utterances(persons, moods, chance, f"costs-{number}"):
            if len(replies) == turns // CLIENTS:
                break
            body = json.dumps({"user_id": user, "session_id": f"{user}-s", "text": text})
            connection.request("POST", "/v1/chat", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            told = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"the server answered {answer.status}: {told.decode()[:300]}")
            replies.append(json.loads(told))
        return replies

    with ThreadPoolExecutor(CLIENTS) as pool:
        return [reply for replies in pool.map(client, range(CLIENTS)) for reply in replies]


def utterances(persons: list[dict[str, object]], moods: list[str], chance: random.Random, name: str) -> Iterator[tuple[str, str]]:
    for number, person in enumerate(chance.sample(persons, len(persons))):
        for line in corpus.script(person, moods, chance):
            yield f"{name}-{number}", line.text


def cpu(process: psutil.Process) -> dict[str, float]:
    """Seconds of CPU so far, by the name of the process; Ray's own ones together."""
    used: dict[str, float] = defaultdict(float)
    for one in (process, *process.children(recursive=True)):
        try:
            name, times = (one.cmdline() or [""])[0], one.cpu_times()
        except psutil.Error:
            continue
        deployment = name.removeprefix("ray::ServeReplica:lira:").split(".")[0].split(" ")[0] if name.startswith("ray::ServeReplica") else ""
        used[deployment or ("HAProxy" if "haproxy" in name.rsplit("/", 1)[-1] else "Ray")] += times.user + times.system
    return dict(used)


def redis_bytes(url: str) -> dict[str, float]:
    """What each kind of key takes, by the server's own account."""
    import redis

    client = redis.Redis.from_url(url)
    sizes: Counter[str] = Counter()
    for key in client.scan_iter(count=500):
        sizes[key.decode("utf-8", "replace").split(":")[0] or "?"] += client.memory_usage(key, samples=0) or 0
    return {"keys": float(client.dbsize()), "bytes": float(sum(sizes.values()))}


def mongo_bytes(url: str) -> dict[str, float]:
    """Documents and their BSON by collection, and the entries of their indexes on lists, which are one for each item."""
    import bson
    from pymongo import MongoClient

    database = MongoClient(url).get_default_database()
    figures: dict[str, float] = {}
    for name in database.list_collection_names():
        documents = list(database[name].find())
        figures[name] = float(len(documents))
        figures[f"{name}_bytes"] = float(sum(len(bson.encode(one)) for one in documents))
        figures[f"{name}_listed"] = float(sum(len(value) for one in documents for value in one.values() if isinstance(value, list)))
    return figures


def say(figure: str, turns: int, **values: float) -> None:
    sys.stdout.write(json.dumps({"figure": figure, "turns": turns, **{name: round(value, 3) for name, value in values.items()}}) + "\n")
    sys.stdout.flush()


def main(turns: int) -> None:
    settings: Settings = load_settings()
    with tempfile.TemporaryDirectory(prefix="lira-costs-") as folder, own_server(Path(folder), apart(Path(folder))) as (port, process, _):
        talk(port, CLIENTS * 5)  # what is loaded at the first turn is no cost of a turn
        before = cpu(process)
        replies = talk(port, turns)
        time.sleep(SETTLE_S)
        after = cpu(process)
        files = sum(path.stat().st_size for path in Path(folder).glob("lira.db*"))
    say("cpu_ms_a_turn", len(replies), **{name: 1000 * (after[name] - before.get(name, 0.0)) / len(replies) for name in sorted(after)})
    kept = sum(reply["memory"]["status"] == "stored" for reply in replies)  # type: ignore[index]
    read = sum("reading" in reply["timings_ms"] for reply in replies)  # type: ignore[operator]
    say("shares", len(replies), kept=kept / len(replies), asked_the_reader=read / len(replies))
    urls = settings.store_urls
    if urls["short_term"].startswith("redis"):
        say("redis", len(replies) + CLIENTS * 5, **redis_bytes(urls["short_term"]))
    if urls["record"].startswith("mongodb"):
        say("mongodb", len(replies) + CLIENTS * 5, **mongo_bytes(urls["record"]))
    say("sqlite", len(replies) + CLIENTS * 5, bytes=float(files))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=300)
    main(parser.parse_args().turns)
