from hypothesis import given
from hypothesis import strategies as st

from lira_core.onnx import TOKENS_PER_RUN, groups_by_length


@given(st.lists(st.integers(2, 256), max_size=60))
def test_every_text_is_in_one_group_and_no_group_is_larger_than_a_run(lengths: list[int]) -> None:
    groups = groups_by_length(lengths)
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    for group in groups:
        longest = max(lengths[i] for i in group)
        assert lengths[group[-1]] == longest
        assert len(group) == 1 or len(group) * longest <= TOKENS_PER_RUN
