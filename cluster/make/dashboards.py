"""LIRA's dashboards: what a turn does, what it recalls, what is kept, how each stage stands, and what the GPUs do."""

from __future__ import annotations

from grafana_foundation_sdk.builders.dashboard import Dashboard

from cluster.make.panels import Plot, dashboard, mean, quantile, rate, shares

TOTAL = 'stage="total"'
REPLICAS = 'Component=~"ray::ServeReplica.*"'


def all_dashboards() -> dict[str, Dashboard]:
    """By the name of its file, without the ending."""
    return {"turn": turn(), "recall": recall(), "gate": gate(), "stages": stages(), "gpu": gpu()}


def turn() -> Dashboard:
    quantiles = [(quantile(share, "lira_turn_seconds", only=TOTAL), f"p{round(100 * share)}") for share in (0.5, 0.95, 0.99)]
    first = [(quantile(share, "lira_generate_first_token_seconds"), f"p{round(100 * share)}") for share in (0.5, 0.95)]
    went_wrong = [
        Plot(
            "Turns without a part",
            "What was left out of a turn, and the turn went on.",
            "reqps",
            [(rate("lira_degraded_total", "stage"), "{{stage}}")],
        ),
        Plot(
            "Above the answer",
            "Turns in which care, what LIRA is, or a withheld answer stood above it; answers that no memory supports.",
            "reqps",
            [(rate("lira_safety_total", "kind"), "{{kind}}"), (rate("lira_ungrounded_total"), "ungrounded")],
        ),
    ]
    written = [
        Plot("To the first token", "Since the generator was asked.", "s", first),
        Plot(
            "Tokens",
            "Read, written, read from the cache, and of answers that were left.",
            "short",
            [(rate("lira_generate_tokens_total", "kind"), "{{kind}}")],
        ),
        Plot("Answers asked of a language model", "By how they ended.", "reqps", [(rate("lira_generator_calls_total", "outcome"), "{{outcome}}")]),
        Plot(
            "Asked once more",
            "Because it failed, or nothing supports the answer.",
            "reqps",
            [(rate("lira_generator_retries_total", "reason"), "{{reason}}")],
        ),
    ]
    answered = [
        Plot(
            "Turns",
            "Answered in a second; refused because too many wait, of everybody's or of one user's.",
            "reqps",
            [(rate("lira_turn_seconds_count", only=TOTAL), "answered"), (rate("lira_refused_total", "reason"), "refused: {{reason}}")],
        ),
        Plot("A turn", "From when the orchestrator begins with it to its last word.", "s", quantiles),
        Plot(
            "Where its time goes",
            "Mean by stage, to the width of a bucket (Ray hands a sample on as its bucket's middle); stages run side by side.",
            "s",
            [(mean("lira_turn_seconds", "stage"), "{{stage}}")],
        ),
        Plot(
            "What people feel", "The strongest emotion of what is said.", "percentunit", [(shares("lira_emotion_total", "label"), "{{label}}")], True
        ),
    ]
    return dashboard(
        "turn", "a turn", "How many turns are answered, how fast, by what.", [("Answered", answered), ("Left out", went_wrong), ("Written", written)]
    )


def recall() -> Dashboard:
    turns = rate("lira_turn_seconds_count", only=TOTAL)
    paths = [
        Plot(
            "A path of recall, p95",
            "Meaning, facts and feeling are asked at once.",
            "s",
            [(quantile(0.95, "lira_recall_seconds", "path"), "{{path}}")],
        ),
        Plot("A path of recall, mean", "", "s", [(mean("lira_recall_seconds", "path"), "{{path}}")]),
        Plot(
            "Memories brought back",
            "For a turn, by the path that found them.",
            "short",
            [(f"{rate('lira_recalled_total', 'path')} / scalar({turns})", "{{path}}")],
        ),
        Plot(
            "The reader, and ranking",
            "The reader decides for a question, ranking for everything else.",
            "s",
            [(quantile(0.95, "lira_turn_seconds", "stage", only='stage=~"reading|rank"'), "{{stage}}, p95")],
        ),
    ]
    stores = [
        Plot("Stores, p95", "One operation in eight is sampled.", "s", [(quantile(0.95, "lira_store_seconds", "store", "op"), "{{store}}: {{op}}")]),
        Plot(
            "Stores left alone",
            "Times that one did not answer, and was not asked until it did.",
            "short",
            [
                ("sum by (store) (increase(ray_lira_circuit_open_total[$__rate_interval]))", "{{store}}"),
                ("max by (store) (ray_lira_circuit_state)", "{{store}}, now"),
            ],
        ),
    ]
    return dashboard("recall", "recall", "What is brought back, by which path, how fast.", [("Paths", paths), ("Stores", stores)])


def gate() -> Dashboard:
    decided = [
        Plot(
            "Decisions",
            "Share of what is said, by reason.",
            "percentunit",
            [(shares("lira_gate_total", "decision", "reason"), "{{decision}}: {{reason}}")],
            True,
        ),
        Plot("Kept", "In a second, by reason.", "reqps", [(rate("lira_gate_total", "reason", only='decision="keep"'), "{{reason}}")]),
        Plot(
            "Remembering, p95",
            "Writing to the record; at the same time as the answer is written.",
            "s",
            [(quantile(0.95, "lira_turn_seconds", "stage", only='stage=~"gate|remember|remember_reply"'), "{{stage}}")],
        ),
        Plot(
            "Deletions that won", "Writes that came after the deletion of what they belong to.", "reqps", [(rate("lira_forgotten_total"), "not made")]
        ),
    ]
    waits = [
        Plot("Waiting", "Deferred writes, deletions' second round, memories without a vector, sessions to sum up.", "short",
             [("max by (outbox) (ray_lira_outbox_waiting)", "{{outbox}}")]),
        Plot(
            "Facts read by a model",
            "Memories that it was asked about, by how it ended; facts of its that nobody said.",
            "short",
            [(rate("lira_extractions_total", "outcome"), "{{outcome}}"), (rate("lira_extractions_refused_total"), "refused")],
        ),
        Plot("Given up on", "Waits for a person: `lira doctor`.", "short", [("max by (outbox) (ray_lira_dead_letters_total)", "{{outbox}}")]),
    ]  # fmt: skip
    return dashboard("gate", "the gate", "What is kept, why, and what waits to be done.", [("Decisions", decided), ("What waits", waits)])


def stages() -> Dashboard:
    deployments = [
        Plot(
            "Replicas",
            "Those that live, and those that the autoscaler wants.",
            "short",
            [
                ("count by (deployment) (ray_serve_replica_processing_queries)", "{{deployment}}"),
                ("max by (deployment) (ray_serve_autoscaling_target_replicas)", "{{deployment}}, wanted"),
            ],
        ),
        Plot(
            "At work", "Requests that replicas are at.", "short", [("sum by (deployment) (ray_serve_replica_processing_queries)", "{{deployment}}")]
        ),
        Plot(
            "Waiting for a replica",
            "In the callers' queues.",
            "short",
            [("sum by (deployment) (ray_serve_deployment_queued_queries)", "{{deployment}}")],
        ),
        Plot(
            "Requests",
            "In a second, by deployment.",
            "reqps",
            [("sum by (deployment) (rate(ray_serve_deployment_request_counter_total[$__rate_interval]))", "{{deployment}}")],
        ),
    ]
    models = [
        Plot("Waiting for the model, p95", "A text's time in the queue.", "s", [(quantile(0.95, "lira_queue_seconds", "stage"), "{{stage}}")]),
        Plot("The model, p95", "A batch's time in it.", "s", [(quantile(0.95, "lira_inference_seconds", "stage"), "{{stage}}")]),
        Plot("Texts in a batch", "Mean.", "short", [(mean("lira_batch_size", "stage"), "{{stage}}")]),
        Plot("Texts", "That a model read in a second.", "short", [(rate("lira_batch_size_sum", "stage"), "{{stage}}")]),
    ]
    processes = [
        Plot(
            "CPU of replicas",
            "100 % is one core.",
            "percent",
            [(f"sum by (Component) (ray_component_cpu_percentage{{{REPLICAS}}})", "{{Component}}")],
        ),
        Plot(
            "Memory of replicas",
            "What each has for itself alone (USS).",
            "bytes",
            [(f"sum by (Component) (ray_component_uss_bytes{{{REPLICAS}}})", "{{Component}}")],
            True,
        ),
    ]
    says = "Each deployment: how many replicas, what they are at, what waits for them."
    return dashboard("stages", "stages", says, [("Deployments", deployments), ("Models", models), ("Processes", processes)])


def gpu() -> Dashboard:
    memory = "ray_node_gram_used / (ray_node_gram_used + ray_node_gram_available)"
    devices = [
        Plot("At work", "Share of the time in which a kernel ran.", "percent", [("ray_node_gpus_utilization", "{{ip}} {{GpuIndex}}")]),
        Plot("Memory", "Share that is taken.", "percentunit", [(memory, "{{ip}} {{GpuIndex}}")]),
        Plot("Power", "", "mwatt", [("ray_node_gpu_power_milliwatts", "{{ip}} {{GpuIndex}}")]),
        Plot("Temperature", "", "celsius", [("ray_node_gpu_temperature_celsius", "{{ip}} {{GpuIndex}}")]),
    ]
    engine = [
        Plot("Answers", "That vLLM writes, and that wait for it.", "short",
             [("sum(ray_vllm_num_requests_running)", "written"), ("sum(ray_vllm_num_requests_waiting)", "waiting")]),
        Plot("Cache of keys and values", "Share that is taken.", "percentunit", [("max(ray_vllm_kv_cache_usage_perc)", "fullest engine")]),
        Plot("Tokens", "In a second.", "short", [(rate("vllm_prompt_tokens_total"), "read"), (rate("vllm_generation_tokens_total"), "written")]),
        Plot("To the first token, p95", "As vLLM counts it.", "s", [(quantile(0.95, "vllm_time_to_first_token_seconds"), "p95")]),
        Plot("Prompts known already", "Share of a prompt's tokens that the prefix cache held.", "percentunit",
             [(f"{rate('vllm_prefix_cache_hits_total')} / {rate('vllm_prefix_cache_queries_total')}", "hits")]),
    ]  # fmt: skip
    return dashboard("gpu", "GPUs", "The devices, and vLLM on them. Empty where there are none.", [("Devices", devices), ("vLLM", engine)])
