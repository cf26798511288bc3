"""The graph: which deployment asks which. `build` is what a Serve config names as `import_path: deployments.app:build`."""

# Annotations stay objects in this module: Serve reads the type of `build`'s argument and does not resolve strings.
import ray
from ray.serve import Application

from deployments import llm
from deployments.args import Args
from deployments.generator import Generator
from deployments.ingress import ChatIngress
from deployments.model_stage import ModelStage
from deployments.orchestrator import RecallOrchestrator
from lira_core.engines import one_trunk
from lira_core.settings import Settings, SettingsError, load_settings

BESIDE_TURNS = 256
"""Requests beside turns that an orchestrator takes at once: probes, imports, searches."""
SHUTDOWN_SPARE_S = 5
"""A replica that is told to end may finish what it is at: a whole request, and a little."""
SURGE_PERCENT = 25
"""When replicas are replaced, so many more of them (at least one) begin before an old one ends, as with Kubernetes' Deployments
(`maxSurge`). Serve's own default, none, leaves a deployment of one replica without any meanwhile."""


def build(args: Args) -> Application:
    """ingress → orchestrator → the models, and where asked → reader, generator; each with the settings as they are here and now."""
    settings = load_settings()
    one_node_or_servers(settings)
    llm.demand(settings, args)
    ending = {"graceful_shutdown_timeout_s": settings.request_deadline_ms / 1000 + SHUTDOWN_SPARE_S, "max_surge_percent": SURGE_PERCENT}
    if args.stage_of("emotion") == args.stage_of("embedding"):
        one_trunk(settings)
    stages = {name: ModelStage.options(name=name, **ending).bind(settings, models) for name, models in args.stages.items()}
    generator = None
    if settings.generator == "vllm":
        # No GPU to spare is the rule, and a replacement that waits for one would wait for ever; meanwhile the grounded responder answers.
        generator = llm.bind(settings, args, ending | {"max_surge_percent": 0})
    elif args.generator == "deployment":
        generator = Generator.options(**ending).bind(settings)
    # The turns wait inside, user by user (`lira_core.admission`): where Serve's own bound is reached its router sleeps up to half a second
    # between two looks at a replica, and a burst of 200 turns passed at 12 a second on two cores that take 30.
    taken = settings.ongoing_turns + settings.max_queued_requests + BESIDE_TURNS
    embedder, emotion, reader = (stages.get(args.stage_of(model) or "") for model in ("embedding", "emotion", "reader"))
    orchestrator = RecallOrchestrator.options(max_ongoing_requests=taken, max_queued_requests=settings.max_queued_requests, **ending)
    together = emotion is embedder  # what is heard then brings its emotion
    return ChatIngress.options(**ending).bind(settings, orchestrator.bind(settings, embedder, None if together else emotion, reader, generator))


def one_node_or_servers(settings: Settings) -> None:
    """SettingsError for a file as a store on several nodes: each node would have a memory of its own."""
    files = [f"LIRA_{role.upper()}_URL" for role, url in settings.store_urls.items() if url.startswith(("sqlite:", "milvus:///"))]
    nodes = [node for node in ray.nodes() if node["Alive"]] if ray.is_initialized() else []
    if files and len(nodes) > 1:
        raise SettingsError(
            f"{' and '.join(files)} name a file, and this Ray cluster has {len(nodes)} nodes, each of which would remember for itself: "
            "use redis://, mongodb:// and weaviate:// or milvus://HOST, or run LIRA on one node"
        )
