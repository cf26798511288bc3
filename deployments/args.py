"""What a Serve config may say to LIRA: light enough to check a config without loading a model."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

ALWAYS = ("ChatIngress", "RecallOrchestrator")
MODELS = {"together": ("UtteranceAnalyzer",), "apart": ("EmotionAnalyzer", "Embedder")}


class Args(BaseModel):
    """`args:` of a Serve config. Everything else of LIRA is a setting (`LIRA_*`), everything of Serve an option beside it."""

    model_config = ConfigDict(extra="forbid")

    generator: Literal["inline", "deployment"] = Field(
        "inline", description="Where answers are written: inside the orchestrator, or by a Generator deployment that scales by itself."
    )

    reader: Literal["inline", "deployment"] = Field(
        "inline", description="Where questions are read: inside the orchestrator, or by a MemoryReader deployment that scales by itself."
    )

    llm: dict[str, Any] | None = Field(
        None,
        description="The model that the Generator runs with LIRA_GENERATOR=vllm: Ray's LLMConfig (`model_loading_config`, `engine_kwargs`, …), "
        "as https://docs.ray.io/en/latest/serve/llm describes it. cluster/gpu.yaml is an example.",
    )

    models: Literal["together", "apart"] = Field(
        "together",
        description="The encoder and the emotion model: in one UtteranceAnalyzer, which runs the trunk that they share once, or an Embedder and an "
        "EmotionAnalyzer that scale and fail each by itself, as models without a common trunk have to.",
    )

    @property
    def deployments(self) -> list[str]:
        """The names of the deployments that `build` makes, to which a config may give options."""
        return [
            *ALWAYS,
            *MODELS[self.models],
            *(["MemoryReader"] if self.reader == "deployment" else []),
            *(["Generator"] if self.generator == "deployment" else []),
        ]
