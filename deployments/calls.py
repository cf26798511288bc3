"""Awaiting another deployment so that whoever gives up waiting also stops the work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import grpc
from ray.exceptions import RayActorError
from ray.serve.exceptions import BackPressureError, DeploymentUnavailableError, ReplicaUnavailableError, RequestCancelledError
from ray.serve.handle import DeploymentResponse, DeploymentResponseGenerator


class Busy(ConnectionError):
    """The deployment's queue is full."""


class Lost(ConnectionError):
    """The replica that worked on the call is gone, or none is there; what became of the call is unknown."""


async def answer(response: DeploymentResponse[Any]) -> Any:
    """The result of a call. Raises Busy, Lost, or what the deployment raised.

    Cancelling the caller (a deadline, a client that left) cancels the call.
    """
    try:
        return await response
    except asyncio.CancelledError as error:
        response.cancel()
        raise _lost_or_cancelled(error) from None
    except Exception as error:
        raise _named(error) from error


async def pieces(response: DeploymentResponseGenerator[Any]) -> AsyncGenerator[Any, None]:
    """The pieces of a streaming call, under the same rules: leaving the loop early stops the stream."""
    finished = False
    try:
        async for piece in response:
            yield piece
        finished = True
    except asyncio.CancelledError as error:
        raise _lost_or_cancelled(error) from None
    except Exception as error:
        raise _named(error) from error
    finally:
        if not finished:
            response.cancel()


def _named(error: Exception) -> Exception:
    if isinstance(error, BackPressureError):
        return Busy(str(error))
    if isinstance(
        error, RayActorError | DeploymentUnavailableError | ReplicaUnavailableError | RequestCancelledError | grpc.RpcError | ConnectionError
    ):
        return Lost(f"{type(error).__name__}: {error}")
    return error


def _lost_or_cancelled(error: asyncio.CancelledError) -> BaseException:
    """Ray Serve raises CancelledError also where the callee was torn down; only the caller's own cancellation may pass as one."""
    task = asyncio.current_task()
    return error if task is None or task.cancelling() else Lost("the call was cancelled on the way")
