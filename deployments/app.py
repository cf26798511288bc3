"""The graph: which deployment asks which. `build` is what a Serve config names as `import_path: deployments.app:build`."""

# Annotations stay objects in this module: Serve reads the type of `build`'s argument and does not resolve strings.
from ray.serve import Application

from deployments.args import Args
from deployments.embedding import Embedder
from deployments.emotion import EmotionAnalyzer
from deployments.generator import Generator
from deployments.ingress import ChatIngress
from deployments.orchestrator import RecallOrchestrator
from lira_core.settings import load_settings


def build(args: Args) -> Application:
    """ingress → orchestrator → (emotion, embedder), and where asked → generator."""
    settings = load_settings()
    generator = Generator.bind() if args.generator == "deployment" else None
    orchestrator = RecallOrchestrator.options(max_queued_requests=settings.max_queued_requests)
    return ChatIngress.bind(orchestrator.bind(EmotionAnalyzer.bind(), Embedder.bind(), generator))
