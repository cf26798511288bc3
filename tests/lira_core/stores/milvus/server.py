"""A Milvus server in a process of its own, for tests: `python server.py FOLDER PORT [TOKEN]`.

It is Milvus Lite's own gRPC server on 127.0.0.1, with the two things that Milvus has and it lacks: a clock to be asked for, and a token
that is looked at. One thread serves, because Milvus Lite takes one writer at a time.
"""

from __future__ import annotations

import base64
import sys
import time
from collections.abc import Callable
from concurrent import futures
from typing import Any

import grpc
from milvus_lite import MilvusLite
from milvus_lite.adapter.grpc.servicer import MilvusServicer
from pymilvus.grpc_gen import common_pb2, milvus_pb2, milvus_pb2_grpc


class Servicer(MilvusServicer):
    def AllocTimestamp(self, request: Any, context: Any) -> Any:
        return milvus_pb2.AllocTimestampResponse(status=common_pb2.Status(), timestamp=int(time.time() * 1_000) << 18)


class Guard(grpc.ServerInterceptor):
    """Refuses whoever does not bring the token, as Milvus's proxy does."""

    def __init__(self, token: str) -> None:
        self._wanted = base64.b64encode(token.encode()).decode()

    def intercept_service(self, continuation: Callable[[Any], Any], details: Any) -> Any:
        if dict(details.invocation_metadata).get("authorization") == self._wanted:
            return continuation(details)

        def refuse(request: Any, context: grpc.ServicerContext) -> None:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "auth check failure, please check api key is correct")

        return grpc.unary_unary_rpc_method_handler(refuse)


def main(folder: str, port: str, token: str = "") -> None:
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=1), interceptors=[Guard(token)] if token else [], options=[("grpc.so_reuseport", 0)])
    milvus_pb2_grpc.add_MilvusServiceServicer_to_server(Servicer(MilvusLite(folder)), server)
    assert server.add_insecure_port(f"127.0.0.1:{port}") == int(port)
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main(*sys.argv[1:])
