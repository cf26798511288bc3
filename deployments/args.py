"""What a Serve config may say to LIRA: light enough to check a config without loading a model."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

Model = Literal["emotion", "embedding", "reader"]
ALWAYS = ("ChatIngress", "RecallOrchestrator")
TOGETHER: dict[str, list[Model]] = {"UtteranceAnalyzer": ["emotion", "embedding"]}
EXAMPLE = "write deployments by name with what each runs, such as {UtteranceAnalyzer: [emotion, embedding], MemoryReader: [reader]}"


class Args(BaseModel):
    """`args:` of a Serve config. Everything else of LIRA is a setting (`LIRA_*`), everything of Serve an option beside it."""

    model_config = ConfigDict(extra="forbid")

    generator: Literal["inline", "deployment"] = Field(
        "inline", description="Where answers are written: inside the orchestrator, or by a Generator deployment that scales by itself."
    )

    llm: dict[str, Any] | None = Field(
        None,
        description="The model that the Generator runs with LIRA_GENERATOR=vllm: Ray's LLMConfig (`model_loading_config`, `engine_kwargs`, …), "
        "as https://docs.ray.io/en/latest/serve/llm describes it. cluster/gpu.yaml is an example.",
    )

    stages: dict[str, list[Model]] = Field(
        TOGETHER,
        description="The deployments that run models, each by its name with what it runs: `[emotion, embedding]` in one runs the trunk that they "
        "share once; apart they scale and fail each by itself, as models without a common trunk have to. The `reader` runs inside the orchestrator "
        "unless it is named here.",
    )

    @field_validator("stages")
    @classmethod
    def _one_place_each(cls, stages: dict[str, list[Model]]) -> dict[str, list[Model]]:
        named = [model for models in stages.values() for model in models]
        if twice := {model for model in named if named.count(model) > 1}:
            raise ValueError(f"{min(twice)} has more than one deployment: {EXAMPLE}")
        if missing := {"emotion", "embedding"} - set(named):
            raise ValueError(f"{min(missing)} has no deployment: {EXAMPLE}")
        if alone := [name for name, models in stages.items() if ("reader" in models and len(models) > 1) or not models]:
            raise ValueError(f"{alone[0]} cannot run {stages[alone[0]] or 'nothing'}: {EXAMPLE}")
        if taken := set(stages) & {*ALWAYS, "Generator"}:
            raise ValueError(f"{min(taken)} is the name of another stage: {EXAMPLE}")
        return stages

    def stage_of(self, model: Model) -> str | None:
        """The deployment that runs the model; None where it runs inside the orchestrator."""
        return next((name for name, models in self.stages.items() if model in models), None)

    @property
    def deployments(self) -> list[str]:
        """The names of the deployments that `build` makes, to which a config may give options."""
        return [*ALWAYS, *self.stages, *(["Generator"] if self.generator == "deployment" else [])]
