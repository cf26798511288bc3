"""A Weaviate that stores, for tests where the true one cannot run: REST and gRPC on two ports, on the client's own protobuf stubs.

What is assumed of the true server, and where that comes from:

- The paths, statuses and bodies of REST: https://docs.weaviate.io/weaviate/api/rest, and what weaviate-client 4.23 sends and reads.
- Tenants: named by 64 of `[A-Za-z0-9_-]`, made by the first batch that names them, opened by searches and batches, not by a batch deletion over
  gRPC (https://docs.weaviate.io/weaviate/manage-collections/multi-tenancy; weaviate/weaviate issues 12953 and 8889).
- gRPC errors have the status UNKNOWN and a Go error's text; objects of a batch fail one by one, with a text each (its
  adapters/handlers/grpc/v1/service.go).
- Whole numbers of a batch travel as doubles, those of filters as int64 (the same, batch_parse_request.go and filters.go).
- A filter needs an index of the property, `indexRangeFilters` or another (the same, adapters/repos/db/inverted/searcher.go).
- Cosine distance is 1 - cosine (https://docs.weaviate.io/weaviate/config-refs/distances).
- BM25 by words that whitespace parts, over one tenant (https://docs.weaviate.io/weaviate/concepts/search/keyword-search).
- One answer or deletion has at most QUERY_MAXIMUM_RESULTS objects (https://docs.weaviate.io/weaviate/manage-objects/delete).

What it is not: fast, durable, replicated, approximate. Names the tests do not need are refused, so that nothing passes by being ignored.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import grpc
import numpy as np
from google.protobuf.json_format import MessageToDict
from weaviate.proto.v1 import batch_delete_pb2, batch_pb2, health_weaviate_pb2, properties_pb2, search_get_pb2, weaviate_pb2_grpc

from .engine import Collection, Engine, Refused, Stored

HOST = "127.0.0.1"


class WeaviateServer:
    """`start` and `stop` as often as needed, on the same ports; what is stored stays.

    `calls` are the requests in their order: (gRPC method or "VERB /path", message or body). `fault`, given a call's name and request, may
    sleep, change something, return (status, text) to fail with, or None.
    """

    def __init__(self, *, key: str | None = None, version: str = "1.39.0", **engine: Any) -> None:
        self.engine = Engine(**engine)
        self.key = key
        self.version = version
        self.calls: list[tuple[str, Any]] = []
        self.fault: Callable[[str, Any], tuple[grpc.StatusCode, str] | None] = lambda name, request: None
        self.port = 0
        self.grpc_port = 0

    @property
    def url(self) -> str:
        key = "" if self.key is None else f":{self.key}@"
        return f"weaviate://{key}{HOST}:{self.port}?grpc_port={self.grpc_port}"

    def start(self) -> None:
        self._rest = _Rest((HOST, self.port), type("Handler", (_Handler,), {"weaviate": self}))
        self.port = self._rest.server_address[1]
        self._thread = threading.Thread(target=self._rest.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        self._grpc = grpc.server(ThreadPoolExecutor(8), options=[("grpc.so_reuseport", 0)])
        weaviate_pb2_grpc.add_WeaviateServicer_to_server(_Servicer(self), self._grpc)
        health = grpc.unary_unary_rpc_method_handler(
            lambda request, context: health_weaviate_pb2.WeaviateHealthCheckResponse(
                status="NOT_SERVING" if self.heard("Health", request) else "SERVING"
            ),
            health_weaviate_pb2.WeaviateHealthCheckRequest.FromString,
            health_weaviate_pb2.WeaviateHealthCheckResponse.SerializeToString,
        )
        self._grpc.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": health}),))
        self.grpc_port = self._grpc.add_insecure_port(f"{HOST}:{self.grpc_port}")
        self._grpc.start()

    def stop(self) -> None:
        self._grpc.stop(None).wait(5)
        self._rest.shutdown()
        self._rest.server_close()
        self._thread.join()

    def said(self, name: str) -> list[Any]:
        """The requests of one name."""
        return [request for called, request in self.calls if called == name]

    def heard(self, name: str, request: Any) -> tuple[grpc.StatusCode, str] | None:
        self.calls.append((name, request))
        return self.fault(name, request)


@contextmanager
def running(**options: Any) -> Iterator[WeaviateServer]:
    server = WeaviateServer(**options)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def serve(**options: Any) -> Iterator[str]:
    """The URL of a server on free ports, for as long as the context lasts."""
    with running(**options) as server:
        yield server.url


class _Rest(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are part of the tests."""

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open = {*getattr(self, "open", ()), request}
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        # A server that dies takes its kept connections with it.
        super().server_close()
        for request in list(getattr(self, "open", ())):
            super().shutdown_request(request)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Otherwise head and body are two packets, and the second waits 40 ms for the first to be acknowledged.
    wbufsize = -1
    disable_nagle_algorithm = True
    weaviate: WeaviateServer

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on stderr."""

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def do_PUT(self) -> None:
        self._answer("PUT")

    def do_DELETE(self) -> None:
        self._answer("DELETE")

    def _answer(self, verb: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        split = urlsplit(self.path)
        asked = json.loads(body) if body else parse_qs(split.query)
        fault = self.weaviate.heard(f"{verb} {split.path}", asked)
        try:
            if fault is not None:
                raise Refused(fault[1], 503)
            if self.weaviate.key is not None and self.headers.get("Authorization") != f"Bearer {self.weaviate.key}":
                raise Refused("anonymous access not enabled, please provide an auth scheme such as OIDC", 401)
            with self.weaviate.engine.lock:
                status, answer = 200, self._routed(verb, split.path.removeprefix("/v1/").split("/"), asked)
        except Refused as error:
            status, answer = error.status, {"error": [{"message": str(error)}]}
        payload = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)
        self.wfile.flush()

    def _routed(self, verb: str, path: list[str], asked: Any) -> Any:
        engine = self.weaviate.engine
        match verb, path:
            case "GET", ["meta"]:
                return {"hostname": "http://[::]:8080", "version": self.weaviate.version, "modules": {}, "grpcMaxMessageSize": 10_485_760}
            case "GET", ["schema"]:
                return {"classes": [held.definition for held in engine.collections.values()]}
            case "POST", ["schema"]:
                return engine.create(asked)
            case "GET", ["schema", name]:
                return engine.named(name).definition
            case "DELETE", ["schema", name]:
                engine.named(name)
                del engine.collections[name]
                return {}
            case _, ["schema", name, "tenants", *rest]:
                if name not in engine.collections:
                    raise Refused(f"class {name!r} not found")
                return self._tenants(verb, engine.collections[name], rest, asked)
            case "GET", ["objects"]:
                state = engine.tenant(engine.named(asked["class"][0]), asked["tenant"][0], opens=True)
                limit = int(asked["limit"][0])
                return {"objects": [{"id": o.id, "properties": o.properties} for o in list(state.objects.values())[:limit]]}
        raise Refused(f"path {path} was not found", 404)

    def _tenants(self, verb: str, collection: Collection, rest: list[str], asked: Any) -> Any:
        engine = self.weaviate.engine
        match verb, rest:
            case "GET", []:
                return [_tenant(name, state.active) for name, state in collection.tenants.items()]
            case "GET", [name]:
                if name not in collection.tenants:
                    raise Refused(f"tenant {name!r} not found", 404)
                return _tenant(name, collection.tenants[name].active)
            case "POST", []:
                for tenant in asked:
                    engine.create_tenant(collection, tenant["name"], tenant["activityStatus"] == "HOT")
            case "PUT", []:
                for tenant in asked:
                    if tenant["name"] not in collection.tenants:
                        raise Refused(f"tenant {tenant['name']!r} not found")
                    collection.tenants[tenant["name"]].active = tenant["activityStatus"] == "HOT"
            case "DELETE", []:
                for name in asked:
                    engine.remove_tenant(collection, name)
        return {}


def _tenant(name: str, active: bool) -> dict[str, str]:
    return {"name": name, "activityStatus": "ACTIVE" if active else "INACTIVE"}


class _Servicer(weaviate_pb2_grpc.WeaviateServicer):  # type: ignore[misc]
    def __init__(self, weaviate: WeaviateServer) -> None:
        self._weaviate = weaviate
        self._engine = weaviate.engine

    def Search(self, request: Any, context: Any) -> Any:
        return self._answered("Search", request, context, self._search)

    def BatchObjects(self, request: Any, context: Any) -> Any:
        return self._answered("BatchObjects", request, context, self._batch)

    def BatchDelete(self, request: Any, context: Any) -> Any:
        return self._answered("BatchDelete", request, context, self._delete)

    def _answered(self, name: str, request: Any, context: Any, work: Callable[[Any], Any]) -> Any:
        fault = self._weaviate.heard(name, request)
        if fault is not None:
            context.abort(*fault)
        key = self._weaviate.key
        if key is not None and dict(context.invocation_metadata()).get("authorization") != f"Bearer {key}":
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "extract auth: unauthorized: invalid api key")
        with self._engine.lock:
            try:
                return work(request)
            except Refused as error:
                text = str(error)
        context.abort(grpc.StatusCode.UNKNOWN, text)

    def _search(self, request: Any) -> Any:
        engine = self._engine
        collection = engine.named(request.collection)
        if request.limit > engine.maximum:
            raise Refused("query maximum results exceeded")
        state = engine.tenant(collection, request.tenant, opens=True)
        found = engine.matching(collection, state, request.filters if request.HasField("filters") else None)
        reply = search_get_pb2.SearchReply()
        if request.HasField("near_vector"):
            (target,) = request.near_vector.targets.target_vectors
            for stored, distance in engine.near(collection, found, target, _query_vector(request.near_vector))[: request.limit]:
                row = self._row(reply, collection, stored, request)
                row.metadata.distance, row.metadata.distance_present = distance, request.metadata.distance
        elif request.HasField("bm25_search"):
            asked = request.bm25_search
            for stored, score in engine.bm25(collection, state, found, asked.query, list(asked.properties))[: request.limit]:
                row = self._row(reply, collection, stored, request)
                row.metadata.score, row.metadata.score_present = score, request.metadata.score
        else:
            for stored in found[: request.limit]:
                self._row(reply, collection, stored, request)
        return reply

    def _row(self, reply: Any, collection: Collection, stored: Stored, request: Any) -> Any:
        row = reply.results.add()
        row.metadata.id_as_bytes = bytes.fromhex(stored.id.replace("-", ""))
        row.properties.target_collection = request.collection
        for name in request.properties.non_ref_properties:
            if name not in collection.properties:
                raise Refused(f"no such prop with name '{name}' found in class '{request.collection}' in the schema")
            value = stored.properties.get(name)
            kind = "int_value" if isinstance(value, int) else "text_value"
            row.properties.non_ref_props.fields[name].CopyFrom(properties_pb2.Value(**{kind: value}))
        return row

    def _batch(self, request: Any) -> Any:
        reply = batch_pb2.BatchObjectsReply()
        for index, given in enumerate(request.objects):
            try:
                vectors = {v.name: np.frombuffer(v.vector_bytes, "<f4") for v in given.vectors}
                self._engine.put(given.collection, given.tenant, given.uuid, MessageToDict(given.properties.non_ref_properties), vectors)
            except Refused as error:
                reply.errors.add(index=index, error=str(error))
        return reply

    def _delete(self, request: Any) -> Any:
        engine = self._engine
        collection = engine.named(request.collection)
        if not request.HasField("filters"):
            raise Refused("no filters in batch delete request")
        state = engine.tenant(collection, request.tenant, opens=False)
        found = engine.matching(collection, state, request.filters)[: engine.maximum]
        for stored in found:
            del state.objects[stored.id]
        return batch_delete_pb2.BatchDeleteReply(matches=len(found), successful=len(found))


def _query_vector(near: Any) -> Any:
    given = [v.vector_bytes for v in near.vectors] + [v.vector_bytes for v in near.vector_for_targets] + [near.vector_bytes]
    return np.frombuffer(next(filter(None, given)), "<f4")


def slow(seconds: float) -> Callable[[str, Any], None]:
    """A `fault` that answers late."""

    def wait(name: str, request: Any) -> None:
        time.sleep(seconds)

    return wait
