"""Every route of the HTTP surface, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from served import Server

PATHS = {"semantic", "fact", "emotion"}


def events(answer: httpx.Response) -> list[tuple[str, dict[str, Any]]]:
    """(event, data) of each frame of a whole `text/event-stream` body."""
    found = []
    for frame in answer.content.decode("utf-8").strip().split("\n\n"):
        first, second = frame.split("\n")
        assert first.startswith("event: ")
        assert second.startswith("data: ")
        found.append((first.removeprefix("event: "), json.loads(second.removeprefix("data: "))))
    return found


def memories(http: httpx.Client, user: str) -> list[str]:
    return [one["text"] for one in http.get("/v1/memories", params={"user_id": user}).json()["results"]]


def history(http: httpx.Client, user: str, session: str = "s1") -> list[dict[str, str]]:
    shown: list[dict[str, str]] = http.get(f"/v1/sessions/{session}", params={"user_id": user}).json()["chat_history"]
    return shown


def test_a_turn_answers_the_whole_contract(say: Callable[..., dict]) -> None:
    reply = say("오늘 정말 너무 기뻤어")
    assert set(reply) == {"reply", "request_id", "emotion", "recalled", "memory", "degraded", "timings_ms"}
    assert reply["reply"].strip()
    assert reply["emotion"]["label"] == reply["emotion"]["top"][0]["label"]
    assert 1 <= len(reply["emotion"]["top"]) <= 3
    assert reply["memory"]["status"] == "stored"
    assert reply["memory"]["reason"] == "emotion"
    assert reply["memory"]["id"]
    assert reply["degraded"] == []
    assert {"emotion", "embedding", "recall", "generate", "remember", "total"} <= set(reply["timings_ms"])


def test_what_was_said_is_recalled_in_a_new_session(say: Callable[..., dict]) -> None:
    say("제 이름은 서연이에요.", session="first")
    reply = say("제 이름이 뭐였죠?", session="second")
    assert "서연" in reply["reply"]
    (recalled, *_) = reply["recalled"]
    assert recalled["text"] == "제 이름은 서연이에요."
    assert set(recalled["paths"]) <= PATHS
    assert recalled["paths"]
    assert set(recalled) == {"id", "text", "paths", "score", "score_parts", "certainty", "timestamp"}


def test_the_request_id_is_in_the_body_and_in_the_header(http: httpx.Client, user: str) -> None:
    answer = http.post("/v1/chat", json={"user_id": user, "session_id": "s", "text": "안녕"}, headers={"X-Request-ID": "mine"})
    assert answer.headers.get_list("x-request-id") == [answer.json()["request_id"]] != ["mine"]


def test_at_is_when_it_was_said(say: Callable[..., dict], http: httpx.Client, user: str) -> None:
    say("나는 떡볶이를 좋아해", at="2026-10-03T09:12:00+09:00")
    (memory,) = http.get("/v1/memories", params={"user_id": user}).json()["results"]
    assert memory["timestamp"] == "2026-10-03T09:12:00+09:00"


def test_a_stream_is_one_recall_then_tokens_then_one_done(http: httpx.Client, user: str) -> None:
    answer = http.post("/v1/chat", json={"user_id": user, "session_id": "s", "text": "오늘 정말 기뻤어", "stream": True})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "no-cache" in answer.headers["cache-control"]
    (first, recall), *tokens, (last, done) = events(answer)
    assert (first, last) == ("recall", "done")
    assert {name for name, _ in tokens} == {"token"}
    assert "reply" not in recall
    assert set(recall) | {"reply"} == set(done)
    assert "".join(token["text"] for _, token in tokens) == done["reply"]


def test_a_stream_carries_hangul_as_utf_8(http: httpx.Client, user: str) -> None:
    answer = http.post("/v1/chat", json={"user_id": user, "session_id": "s", "text": "안녕", "stream": True})
    assert rb"\u" not in answer.content
    assert any("가" <= c <= "힣" for c in answer.content.decode("utf-8"))


@pytest.mark.parametrize("stream", [False, True])
def test_the_turn_of_a_client_that_leaves_stops_and_that_of_a_client_that_stays_goes_on(
    server: Server, http: httpx.Client, user: str, stream: bool
) -> None:
    def ask(session: str, timeout: float) -> httpx.Response:
        said = {"user_id": user, "session_id": session, "text": f"{session} 약속이 있어. 기억해줘.", "stream": stream}
        return http.post("/v1/chat", json=said, timeout=timeout)

    with ThreadPoolExecutor(2) as pool:
        with server.suspended("UtteranceAnalyzer"):  # both turns wait to be heard: nothing of them is kept yet
            leaves, stays = pool.submit(ask, "left", 1.5), pool.submit(ask, "stayed", 60)
            with pytest.raises(httpx.ReadTimeout):
                leaves.result()
            time.sleep(1)  # for the news that it left to get there
        assert stays.result().status_code == 200
    time.sleep(1)  # what had not stopped would be kept by now, as the other is
    assert memories(http, user) == ["stayed 약속이 있어. 기억해줘."]
    assert history(http, user, "left") == []
    assert len(history(http, user, "stayed")) == 2


def test_the_original_route_answers_the_original_form(http: httpx.Client, user: str) -> None:
    answer = http.post("/api/lira/generate", json={"user_id": user, "session_id": "s", "text": "오늘 정말 너무 기뻤어"})
    assert answer.status_code == 200
    assert set(answer.json()) == {"output", "emotion"}
    emotion = answer.json()["emotion"]
    assert set(emotion) == {f"emotion_{rank}_{key}" for rank in ("1st", "2nd", "3rd") for key in ("label", "score")} | {"emotion_mode"}
    assert emotion["emotion_mode"] == "central"
    assert isinstance(emotion["emotion_1st_label"], str)
    for rank in ("2nd", "3rd"):
        assert (emotion[f"emotion_{rank}_label"] is None) == (emotion[f"emotion_{rank}_score"] is None)


def test_memories_are_added_found_listed_and_deleted(http: httpx.Client, user: str) -> None:
    items = [
        {"text": "나는 부산에 살아", "timestamp": "2026-01-01T00:00:00+09:00", "metadata": {"출처": ["일기", 1, None, True]}},
        {"text": "강아지 이름은 콩이야", "timestamp": "2026-01-02T00:00:00+09:00", "session_id": "old"},
    ]
    added = http.post("/v1/memories", json={"user_id": user, "items": items})
    assert added.status_code == 201
    ids = added.json()["ids"]
    assert len(set(ids)) == 2

    found = http.post("/v1/memories/search", json={"user_id": user, "query": "어디 살아?", "limit": 2}).json()["results"]
    assert [set(one) for one in found] == [{"id", "text", "score", "score_parts", "certainty", "timestamp", "metadata", "paths"}] * len(found)
    by_id = {one["id"]: one for one in found}
    assert by_id[ids[0]]["metadata"] == {"출처": ["일기", 1, None, True]}

    listed = http.get("/v1/memories", params={"user_id": user}).json()
    assert [one["id"] for one in listed["results"]] == ids[::-1]
    assert listed["next_cursor"] is None

    for _ in range(2):
        assert http.delete(f"/v1/memories/{ids[0]}", params={"user_id": user}).status_code == 204
    assert http.delete(f"/v1/memories/{ids[1]}", params={"user_id": f"not-{user}"}).status_code == 404
    assert [one["id"] for one in http.get("/v1/memories", params={"user_id": user}).json()["results"]] == [ids[1]]


def test_a_search_as_of_a_moment_does_not_know_the_future(http: httpx.Client, user: str) -> None:
    items = [{"text": "나는 부산에 살아", "timestamp": f"{year}-01-01T00:00:00+09:00"} for year in (2024, 2026)]
    old, _ = http.post("/v1/memories", json={"user_id": user, "items": items}).json()["ids"]
    query = {"user_id": user, "query": "부산", "limit": 10, "at": "2025-01-01T00:00:00+09:00"}
    assert [one["id"] for one in http.post("/v1/memories/search", json=query).json()["results"]] == [old]


def test_pages_of_memories_hold_each_once_newest_first(http: httpx.Client, user: str) -> None:
    items = [{"text": f"기억 {i}", "timestamp": f"2026-02-{i + 1:02d}T00:00:00Z"} for i in range(7)]
    ids = http.post("/v1/memories", json={"user_id": user, "items": items}).json()["ids"]
    seen, cursor = [], None
    while True:
        page = http.get("/v1/memories", params={"user_id": user, "limit": 3} | ({"cursor": cursor} if cursor else {})).json()
        seen += [one["id"] for one in page["results"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert seen == ids[::-1]


def test_an_import_may_bring_256_memories(http: httpx.Client, user: str) -> None:
    items = [{"text": f"{i}번째 날에는 바닷가를 오래 걸었고 저녁에는 친구와 국수를 먹었다."} for i in range(256)]
    assert len(http.post("/v1/memories", json={"user_id": user, "items": items}).json()["ids"]) == 256


def test_a_session_shows_its_history_and_is_empty_after_log_out(say: Callable[..., dict], http: httpx.Client, user: str) -> None:
    reply = say("나는 커피를 좋아해", session="log-out")
    shown = http.get("/v1/sessions/log-out", params={"user_id": user}).json()
    assert set(shown) == {"chat_history", "recalled_ltm_buffer", "last_updated", "expires_in"}
    assert shown["chat_history"] == [{"role": "user", "content": "나는 커피를 좋아해"}, {"role": "lira", "content": reply["reply"]}]
    assert 86_000 < shown["expires_in"] <= 86_400
    assert http.delete("/v1/sessions/log-out", params={"user_id": user}).status_code == 204
    assert http.get("/v1/sessions/log-out", params={"user_id": user}).json()["chat_history"] == []


def test_the_recalled_buffer_names_its_source(say: Callable[..., dict], http: httpx.Client, user: str) -> None:
    say("제 이름은 지우예요.", session="a")
    say("제 이름이 뭐였죠?", session="b")
    (entry, *_) = http.get("/v1/sessions/b", params={"user_id": user}).json()["recalled_ltm_buffer"]
    assert entry["source"] == "LTM_Recall"
    assert entry["text"] == "제 이름은 지우예요."
    assert entry["timestamp"]


def test_deleting_a_user_leaves_nothing_of_them(say: Callable[..., dict], http: httpx.Client, user: str) -> None:
    say("제 이름은 하준이에요.")
    assert http.delete("/v1/memories", params={"user_id": user}).status_code == 204
    assert http.get("/v1/memories", params={"user_id": user}).json() == {"results": [], "next_cursor": None}
    assert http.get("/v1/sessions/s1", params={"user_id": user}).json()["chat_history"] == []
    assert http.post("/v1/memories/search", json={"user_id": user, "query": "이름"}).json() == {"results": [], "degraded": []}
    assert "하준" not in say("제 이름이 뭐였죠?")["reply"]


# Requests that come twice


def keyed(http: httpx.Client, key: str, path: str, body: dict[str, Any]) -> httpx.Response:
    return http.post(path, json=body, headers={"Idempotency-Key": key})


@pytest.mark.parametrize("path", ["/v1/chat", "/api/lira/generate"])
def test_a_turn_that_comes_twice_with_its_key_is_answered_the_same_and_kept_once(http: httpx.Client, user: str, path: str) -> None:
    said = {"user_id": user, "session_id": "s1", "text": "내일 오후 3시에 치과 예약이 있어. 기억해줘."}
    first, second = keyed(http, "k1", path, said), keyed(http, "k1", path, said)
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.content == second.content
    assert memories(http, user) == [said["text"]]
    assert len(history(http, user)) == 2
    assert keyed(http, "k2", path, said).status_code == 200
    assert len(history(http, user)) == 4, "another key is another request"


@pytest.mark.parametrize(
    ("path", "body", "changed"),
    [
        ("/v1/chat", {"session_id": "s1", "text": "나는 딸기를 좋아해"}, {"text": "나는 포도를 좋아해"}),
        ("/v1/chat", {"session_id": "s1", "text": "나는 딸기를 좋아해"}, {"session_id": "s2"}),
        ("/api/lira/generate", {"session_id": "s1", "text": "나는 딸기를 좋아해"}, {"text": "나는 포도를 좋아해"}),
        ("/v1/memories", {"items": [{"text": "나는 딸기를 좋아해"}]}, {"items": [{"text": "나는 딸기를 좋아해", "metadata": {"n": 1}}]}),
    ],
)
def test_a_key_that_comes_with_another_body_is_422_and_names_the_header(
    http: httpx.Client, user: str, path: str, body: dict[str, Any], changed: dict[str, Any]
) -> None:
    assert keyed(http, "k1", path, {"user_id": user} | body).is_success
    refused = keyed(http, "k1", path, {"user_id": user} | body | changed)
    assert refused.status_code == 422
    assert [error["field"] for error in refused.json()["errors"]] == ["Idempotency-Key"]
    assert memories(http, user) == ["나는 딸기를 좋아해"]
    assert keyed(http, "k1", path, {"user_id": f"not-{user}"} | body | changed).is_success, "somebody else's keys are their own"


def test_an_import_that_comes_twice_with_its_key_is_stored_once(http: httpx.Client, user: str) -> None:
    wanted = {"user_id": user, "items": [{"text": "나는 부산에 살아"}, {"text": "강아지 이름은 콩이야"}]}
    first, second = keyed(http, "k1", "/v1/memories", wanted), keyed(http, "k1", "/v1/memories", wanted)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert sorted(memories(http, user)) == ["강아지 이름은 콩이야", "나는 부산에 살아"]


def test_a_stream_that_comes_twice_with_its_key_is_told_again(http: httpx.Client, user: str) -> None:
    said = {"user_id": user, "session_id": "s1", "text": "제 이름은 서연이에요.", "stream": True}
    first, second = events(keyed(http, "k1", "/v1/chat", said)), events(keyed(http, "k1", "/v1/chat", said))
    for told in (first, second):
        (opened, recall), *tokens, (closed, done) = told
        assert (opened, {name for name, _ in tokens}, closed) == ("recall", {"token"}, "done")
        assert set(recall) | {"reply"} == set(done)
        assert "".join(token["text"] for _, token in tokens) == done["reply"]
    assert first[-1] == second[-1]
    assert memories(http, user) == ["제 이름은 서연이에요."]
    assert len(history(http, user)) == 2


async def test_of_sixteen_equal_requests_at_once_one_is_done_and_all_are_answered_the_same(server: Server, http: httpx.Client, user: str) -> None:
    said = {"user_id": user, "session_id": "s1", "text": "제 이름은 도윤이에요."}
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
        answers = await asyncio.gather(*(client.post("/v1/chat", json=said, headers={"Idempotency-Key": "k1"}) for _ in range(16)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert memories(http, user) == ["제 이름은 도윤이에요."]
    assert len(history(http, user)) == 2


def test_a_kept_answer_is_gone_with_the_memory_that_it_shows(http: httpx.Client, user: str) -> None:
    told = keyed(http, "k1", "/v1/chat", {"user_id": user, "session_id": "s1", "text": "제 이름은 서연이에요."}).json()
    question = {"user_id": user, "session_id": "s2", "text": "제 이름이 뭐였죠?"}
    assert "서연" in keyed(http, "k2", "/v1/chat", question).json()["reply"]
    assert http.delete(f"/v1/memories/{told['memory']['id']}", params={"user_id": user}).status_code == 204
    again = keyed(http, "k2", "/v1/chat", question)
    assert again.status_code == 200
    assert "서연" not in again.text


def test_what_was_deleted_does_not_come_back_with_the_request_that_told_it(http: httpx.Client, user: str) -> None:
    said = {"user_id": user, "session_id": "s1", "text": "제 이름은 서연이에요."}
    first = keyed(http, "k1", "/v1/chat", said)
    http.delete(f"/v1/memories/{first.json()['memory']['id']}", params={"user_id": user})
    again = keyed(http, "k1", "/v1/chat", said)
    assert again.content != first.content
    assert again.json()["memory"]["status"] == "skipped"
    assert memories(http, user) == []
    assert history(http, user) == []


def test_kept_answers_are_gone_with_their_user(http: httpx.Client, user: str) -> None:
    said = {"user_id": user, "session_id": "s1", "text": "제 이름은 서연이에요."}
    first = keyed(http, "k1", "/v1/chat", said)
    assert http.delete("/v1/memories", params={"user_id": user}).status_code == 204
    again = keyed(http, "k1", "/v1/chat", said)
    assert again.status_code == 200
    assert again.content != first.content, "it was said anew, after the deletion"
    assert memories(http, user) == ["제 이름은 서연이에요."]


def test_a_request_that_failed_may_be_made_again_under_its_key(server: Server, http: httpx.Client, user: str) -> None:
    said = {"user_id": user, "session_id": "s1", "text": "제 이름은 서연이에요."}
    with server.suspended("UtteranceAnalyzer"):
        with pytest.raises(httpx.ReadTimeout):
            http.post("/v1/chat", json=said, headers={"Idempotency-Key": "k1"}, timeout=1.5)
        time.sleep(1)
    answer = keyed(http, "k1", "/v1/chat", said)
    assert (answer.status_code, answer.json()["memory"]["status"]) == (200, "stored")
    assert memories(http, user) == ["제 이름은 서연이에요."]
    assert len(history(http, user)) == 2


# Operations


def test_health_and_readiness(http: httpx.Client) -> None:
    assert http.get("/healthz").status_code == 200
    ready = http.get("/readyz")
    assert ready.status_code == 200
    assert set(ready.json()["dependencies"].values()) == {"ok"}
    assert {"emotion", "embedding", "record", "short_term", "vectors", "orchestrator"} <= set(ready.json()["dependencies"])


METRICS = [
    "lira_turn_seconds_count{",
    "lira_recall_seconds_count{",
    "lira_recalled_total{",
    "lira_gate_total{",
    "lira_emotion_total{",
    "lira_batch_size_count{",
    "lira_queue_seconds_count{",
    "lira_generate_first_token_seconds_count{",
    "lira_generate_tokens_total{",
    "lira_degraded_total{",
    "lira_safety_total{",
    "lira_ungrounded_total{",
    "lira_store_seconds_count{",
    "lira_outbox_waiting{",
    "lira_dead_letters_total{",
]


@pytest.mark.parametrize("series", METRICS)
def test_metrics_are_exported_after_a_turn(series: str, say: Callable[..., dict], http: httpx.Client) -> None:
    say("오늘 정말 기뻤어")
    answer = exported(f"ray_{series}", http)
    assert f"ray_{series}" in answer.text
    assert answer.headers["content-type"].startswith("text/plain")


def exported(series: str, http: httpx.Client, **params: str) -> httpx.Response:
    """What `/metrics` answers once the series is in it, or after 30 s: Ray gathers its processes' figures some seconds late."""
    ends = time.monotonic() + 30
    while series not in (answer := http.get("/metrics", params=params)).text and time.monotonic() < ends:
        time.sleep(0.5)
    return answer


def test_metrics_are_lira_s_own_unless_all_are_asked_for(http: httpx.Client) -> None:
    everything, own = exported("ray_node_cpu_utilization", http, all="true").text, http.get("/metrics").text
    assert "ray_node_cpu_utilization" in everything
    assert all("lira_" in line for line in own.splitlines())


def test_old_talk_is_found_by_its_words_with_what_was_said_around_it(http: httpx.Client, user: str) -> None:
    said = ["안녕", "오늘은 점심에 쌀국수를 먹었어", "날씨가 좋네"]
    for n, text in enumerate(said):
        turn = {"user_id": user, "session_id": "s1", "text": text, "at": f"2026-10-03T09:1{n}:00+09:00"}
        assert http.post("/v1/chat", json=turn).status_code == 200
    (hit, *_) = http.post("/v1/events/search", json={"user_id": user, "query": "쌀국수", "limit": 5}).json()["results"]
    assert (hit["role"], hit["text"], hit["session_id"], hit["timestamp"]) == ("user", said[1], "s1", "2026-10-03T09:11:00+09:00")
    assert [one["role"] for one in hit["around"]] == ["user", "lira", "lira", "user"]
    assert [one["text"] for one in hit["around"] if one["role"] == "user"] == [said[0], said[2]]
    earlier = {"user_id": user, "query": "쌀국수", "at": "2026-10-03T09:10:30+09:00"}
    assert http.post("/v1/events/search", json=earlier).json() == {"results": []}
    http.delete("/v1/memories", params={"user_id": user}).raise_for_status()
    assert http.post("/v1/events/search", json={"user_id": user, "query": "쌀국수"}).json() == {"results": []}


def test_who_said_little_has_no_summaries_and_an_unknown_scope_is_named(http: httpx.Client, user: str) -> None:
    for scope in ("session", "day", "week", "month"):
        assert http.get("/v1/summaries", params={"user_id": user, "scope": scope}).json() == {"results": []}
    for wrong in ({"scope": "year"}, {}, {"scope": "day", "limit": 0}):
        answer = http.get("/v1/summaries", params={"user_id": user} | wrong)
        assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")


def test_the_schema_names_every_route(http: httpx.Client) -> None:
    schema = http.get("/openapi.json").json()
    assert {
        ("/v1/chat", "post"),
        ("/api/lira/generate", "post"),
        ("/v1/memories", "post"),
        ("/v1/memories", "get"),
        ("/v1/memories", "delete"),
        ("/v1/memories/search", "post"),
        ("/v1/events/search", "post"),
        ("/v1/summaries", "get"),
        ("/v1/memories/{memory_id}", "delete"),
        ("/v1/sessions/{session_id}", "get"),
        ("/v1/sessions/{session_id}", "delete"),
        ("/healthz", "get"),
        ("/readyz", "get"),
        ("/metrics", "get"),
    } <= {(path, method) for path, methods in schema["paths"].items() for method in methods}
    assert schema["components"]["schemas"]["ChatRequest"]["properties"]["text"]["maxLength"] == 4_000


def test_the_docs_page_needs_nobody_else(http: httpx.Client) -> None:
    page = http.get("/docs")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "http://" not in page.text
    assert "https://" not in page.text
    assert "/openapi.json" in page.text
