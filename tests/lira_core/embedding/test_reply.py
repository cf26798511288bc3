"""The heads of what reply is wanted: what their calibration has to hold, and that both parts are heard."""

from __future__ import annotations

import numpy as np
import pytest

from lira_core.embedding.reply import ReplyHeads
from lira_core.embedding.response import KINDS, RESPONSE, ResponseReader
from lira_core.embedding.tone import TONE, TONES, ToneReader

WHOLE = {"response": {"speaks": 0.5, "kinds": list(KINDS)}, "tone": {"speaks": 0.6, "mourns": 0.7}}


@pytest.mark.parametrize("stored", [{}, {"response": WHOLE["response"]}, {"tone": WHOLE["tone"]}, WHOLE | {"tone": 1.0}, WHOLE | {"response": {}}])
def test_a_calibration_without_a_part_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="head"):
        ReplyHeads.from_json(stored)


def test_kind_and_tone_are_heard_each_from_its_own_logits() -> None:
    heads = ReplyHeads.from_json(WHOLE)
    assert heads == ReplyHeads(ResponseReader(0.5), ToneReader(0.6, 0.7))
    kinds, tones = np.zeros(len(KINDS), np.float32), np.zeros(len(TONES), np.float32)
    kinds[KINDS.index("broken")], tones[TONES.index("annoyance")] = 9, 3
    heard = heads.heard({RESPONSE: kinds, TONE: tones}, "고장", [(0, 1), (1, 2)])
    assert heard["response"] == "broken"
    assert heard["tone"] == "annoyance"
