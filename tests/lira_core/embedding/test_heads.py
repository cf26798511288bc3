"""The files of heads beside an encoder: what is loaded, what is refused, and which words a run of pieces is."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.embedding.aim import AimHeads
from lira_core.embedding.heads import Heads, likeliest_run
from lira_core.embedding.leaning import LeaningHeads
from lira_core.embedding.listing import ListingHeads
from lira_core.embedding.manner import MannerHeads
from lira_core.embedding.names import NameHeads
from lira_core.embedding.onnx import HEADS, OnnxEncoder, utterances
from lira_core.embedding.reply import ReplyHeads
from lira_core.embedding.safety import SafetyHeads
from lira_core.embedding.speech import KEEP, SPEECH_FILE
from lira_core.emotion.onnx import OnnxEmotion
from lira_core.onnx import ModelError
from lira_core.settings import Settings

FOLDER = Settings().embedding_model_dir
PARTS = {
    SafetyHeads: {"safety"},
    MannerHeads: {"manner"},
    LeaningHeads: {"follows"},
    ListingHeads: {"lists"},
    NameHeads: {"name"},
    ReplyHeads: {"response", "tone"},
    AimHeads: {"aim"},
}
"""Of what is heard, by the heads that hear it."""


def copied(folder: Path) -> Path:
    for name in (FOLDER, FOLDER.parent / "lira-trunk", FOLDER.parent / "lira-emotion"):
        shutil.copytree(name, folder / name.name, copy_function=lambda a, b: Path(b).symlink_to(a))
    return folder / FOLDER.name


@pytest.mark.parametrize("kind", HEADS)
def test_broken_heads_are_named_and_an_encoder_without_them_hears_the_rest(tmp_path: Path, kind: type[Heads]) -> None:
    encoder = copied(tmp_path)
    whole = OnnxEncoder(encoder).hear(["이름은 두부야"])[0]
    (encoder / kind.CALIBRATION).unlink()
    (encoder / kind.CALIBRATION).write_text(json.dumps({"another": 1.0}))
    with pytest.raises(ModelError, match=kind.CALIBRATION):
        OnnxEncoder(encoder)
    (encoder / kind.CALIBRATION).write_bytes((FOLDER / kind.CALIBRATION).read_bytes())
    other = next(one for one in HEADS if one is not kind)
    (encoder / kind.FILE).unlink()
    (encoder / kind.FILE).symlink_to(FOLDER / other.FILE)
    with pytest.raises(ModelError, match=kind.FILE):
        OnnxEncoder(encoder)
    (encoder / kind.FILE).unlink()
    heard = OnnxEncoder(encoder).hear(["이름은 두부야"])[0]
    assert {name for parts in PARTS.values() for name in parts if getattr(heard, name) != getattr(whole, name)} <= PARTS[kind]


DEEP = [kind for kind in HEADS if kind.DEEP]


@pytest.mark.parametrize(
    ("emotion", "why"),
    [(None, "names no `emotion`"), ("lira-trunk", "scores"), ("nowhere", "`nowhere`.* does not lie beside"), ("lira-mood", "more than one")],
)
def test_heads_on_the_layers_of_no_emotion_model_or_of_two_are_refused(tmp_path: Path, emotion: str | None, why: str) -> None:
    encoder = copied(tmp_path)
    (tmp_path / "lira-mood").symlink_to(FOLDER.parent / "lira-emotion")
    for kind in DEEP[:1] if emotion == "lira-mood" else DEEP:
        (encoder / kind.CALIBRATION).unlink()
        (encoder / kind.CALIBRATION).write_text(json.dumps(json.loads((FOLDER / kind.CALIBRATION).read_text()) | {"emotion": emotion}))
    with pytest.raises(ModelError, match=why):
        OnnxEncoder(encoder)


def test_deep_heads_hear_the_same_on_what_the_emotion_model_has_made_already() -> None:
    encoder, emotion = OnnxEncoder(FOLDER), OnnxEmotion(Settings().emotion_model_dir)
    texts = ["동생이 미국으로 떠났어", "got the job!", ""]
    states = encoder.model.states_of(utterances(texts))
    _, felt = emotion.read_on(texts, states)
    _, layers = encoder.layers_on(texts, states)
    assert len(felt) == len(layers) == len(texts)
    alone = encoder.deep_heads_on(texts, states, layers)
    assert encoder.deep_heads_on(texts, states, layers, (emotion.model, felt)) == alone
    with ThreadPoolExecutor(1) as aside:
        assert encoder.deep_heads_on(texts, states, layers, aside=aside) == alone


def test_what_an_utterance_is_is_heard_with_the_nets_beside_and_without_them_less_well(tmp_path: Path) -> None:
    encoder, text = copied(tmp_path), "did 9k along the towpath this morning"
    both = OnnxEncoder(encoder).speech_logits([text])[0]
    heard = OnnxEncoder(encoder).hear([text])[0].speech
    (encoder / SPEECH_FILE).unlink()
    alone = OnnxEncoder(encoder)
    own = alone.speech_logits([text])[0]
    assert not np.allclose(both[:KEEP], own[:KEEP])
    assert both[KEEP] == pytest.approx(own[KEEP], abs=1e-4)
    assert heard is not None
    assert alone.hear([text])[0].speech not in (None, heard)
    (encoder / SPEECH_FILE).symlink_to(FOLDER / "aim.onnx")
    with pytest.raises(ModelError, match=SPEECH_FILE):
        OnnxEncoder(encoder)


@given(st.lists(st.floats(-9, 9, width=32), max_size=12))
def test_the_likeliest_run_is_the_one_of_the_greatest_sum(logits: list[float]) -> None:
    pieces = [(2 * i, 2 * i + 2) for i in range(len(logits))]
    found = likeliest_run(np.array(logits, np.float32), pieces)
    sums = [sum(logits[a:b]) for a in range(len(logits)) for b in range(a + 1, len(logits) + 1)]
    if found is None:
        assert max(sums, default=0) <= 0
    else:
        start, end = found
        assert sum(logits[start // 2 : end // 2]) == pytest.approx(max(sums), abs=1e-4)


def test_marks_and_the_prefix_belong_to_no_run() -> None:
    pieces = [(0, 0), (-7, 0), (0, 2), (2, 5), (0, 0)]
    assert likeliest_run(np.array([9, 9, 1, -1, 9], np.float32), pieces) == (0, 2)
    assert likeliest_run(np.array([9, 9, -1, -1, 9], np.float32), pieces) is None
