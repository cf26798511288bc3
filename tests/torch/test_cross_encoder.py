"""`models/make/understanding/cross_encoder.py`: what is served says what was learnt."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "make" / "understanding"))

from lira_core.model_folder import LOWER_FILE
from lira_core.model_settings import bundled_model
from lira_core.onnx import LOWER, MASK, OnnxTextModel, padded
from lira_core.reading.onnx import OnnxReader

SHAPE = {"hidden_size": 384, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 1536, "vocab_size": 44000, "pad_token_id": 1}
NEAR = 0.35
"""By so much may int8 activations move a logit: twice the most that was seen (.17 of what answers, .04 of yes and no; of some -9 to 5)."""


def test_the_file_says_what_its_weights_say_in_float(made: Callable[..., Path]) -> None:
    import cross_encoder
    from restore import restore
    from trunk import Trunk

    trunk = Trunk(made("BertModel", **SHAPE))
    model = cross_encoder.CrossEncoder(trunk)
    model.load_state_dict(restore("lira-reader/model.int8.onnx", trunk, bundled_model("lira-reader").parent)["cross"])
    reader = OnnxReader(bundled_model("lira-reader"))
    question, said = "나 고기 먹어?", ["채식한 지 3년 됐어", "엄마 생신이 12월 3일이야", "어제 삼겹살 먹었는데 정말 오랜만이었어"]
    served = reader.compare(question, said)
    asked, told = trunk.pieces(question, "query")[0], [trunk.pieces(one, "passage")[0] for one in said]
    assert [len(rows) + 2 for rows in served.ends] == [len(one) for one in told]
    both = padded([[*asked, *one[1:]] for one in told])
    under = OnnxTextModel(bundled_model("lira-trunk"), output=LOWER, setting="LIRA_TEST", file=LOWER_FILE).outputs(both, (LOWER,))[LOWER]
    with torch.no_grad():
        found, ends = model.eval()(torch.from_numpy(under), torch.from_numpy(both[MASK]).float(), torch.tensor([len(asked)]))
    assert np.abs(found[:, :3].numpy() - served.says).max() < NEAR
    assert np.abs(found[:, 3].numpy() - served.answers).max() < NEAR
    for rows, one in zip(served.ends, ends.numpy(), strict=True):
        assert np.abs(one[len(asked) : len(asked) + len(rows)] - rows).max() < NEAR
    with torch.no_grad():
        first, later = trunk.pieces(said[0], "passage")[0], [told[2]]
        again = padded([[*first, *one[1:]] for one in later])
        under = OnnxTextModel(bundled_model("lira-trunk"), output=LOWER, setting="LIRA_TEST", file=LOWER_FILE).outputs(again, (LOWER,))[LOWER]
        found, _ = model(torch.from_numpy(under), torch.from_numpy(again[MASK]).float(), torch.tensor([len(first)]))
    assert np.abs(found[:, 4].numpy() - reader.changes(said[0], said[2:])).max() < NEAR


def test_a_step_learns_what_answers_what_is_said_to_it_and_what_changes_what(made: Callable[..., Path]) -> None:
    import cross_encoder
    from changes import Row
    from pairs import Pair, Shown
    from trunk import Trunk, eager

    torch.manual_seed(1)
    # As BERT begins: from larger weights twelve layers make one state of all pieces, and where the words are cannot be learnt.
    trunk = Trunk(made("BertModel", **SHAPE, initializer_range=0.02))
    model = cross_encoder.CrossEncoder(trunk)
    eager(trunk.model)
    some = cross_encoder.Learnt(
        [
            Shown("엄마 생신 언제야?", ("엄마 생신이 12월 3일이야", "나 커피 좋아해"), (True, False), ("12월 3일", "")),
            Shown("내 혈액형 뭐야?", ("나 커피 좋아해",), (False,), ("",)),
        ],
        [Pair("나 커피 좋아해?", "나 커피 좋아해", 1), Pair("나 술 마셔?", "나 술은 안 마셔", 2)],
        [Row("금요일에 영화 보기로 했어", ("영화 취소됐어", "나 커피 좋아해"), (True, False))],
    )
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4)
    before, *_, after = (cross_encoder.learn(model.eval(), trunk, optimiser, some) for _ in range(12))
    assert [one < other for one, other in zip(after, before, strict=True)] == [True, True, True, True]
