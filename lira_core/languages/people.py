# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""Words for people and pets around the speaker, Korean and English: how they are called and which of them are the same."""

from __future__ import annotations

from typing import Final

_FAMILY = (
    "엄마 어머니 어머님 아빠 아버지 아버님 부모님 할머니 할아버지 외할머니 외할아버지 외삼촌 형 오빠 누나 언니 동생 여동생 남동생 막내 막내동생 쌍둥이 "
    "아들 딸 큰아들 작은아들 큰딸 작은딸 첫째 둘째 셋째 아이 애기 아기 자녀 손자 손녀 삼촌 이모 고모 이모부 고모부 숙모 사촌 사촌동생 사촌형 사촌언니 사촌오빠 사촌누나 "
    "조카 남편 아내 와이프 신랑 집사람 장모님 장인어른 시어머니 시아버지 시누이 매형 형부 처제 처남 며느리 사위 가족"
)
_PARTNER = "남자친구 여자친구 남친 여친 애인 약혼자 약혼녀 연인 전남친 전여친"
_OTHERS = (
    "친구 절친 베프 단짝 룸메이트 룸메 동료 직장동료 선배 후배 상사 부장님 팀장님 사장님 대표님 과장님 대리님 실장님 이사님 차장님 팀장 부장 사장 과장 대리 선생님 담임선생님 "
    "교수님 지도교수님 원장님 코치님 이웃 옆집 담당자 트레이너 의사선생님"
)
_PETS = "강아지 고양이 반려견 반려묘 멍멍이 냥이 댕댕이 햄스터 토끼 앵무새 거북이 금붕어 물고기 고슴도치 반려동물 애완견 애완동물 새 도마뱀 기니피그 강쥐 개"

FAMILY: Final = frozenset(_FAMILY.split())
PARTNER: Final = frozenset(_PARTNER.split())
PETS: Final = frozenset(_PETS.split())
OTHERS: Final = frozenset(_OTHERS.split())
KIN: Final = FAMILY | PARTNER | PETS | OTHERS
"""Every word that names somebody by what they are to the speaker."""

_SAME: Final = (
    ("어머니", "엄마", "어머님", "모친"), ("아버지", "아빠", "아버님", "부친"), ("남자친구", "남친"), ("여자친구", "여친"), ("아내", "와이프", "집사람"), ("남편", "신랑"),
    ("강아지", "반려견", "멍멍이", "댕댕이", "애완견", "강쥐", "개"), ("고양이", "반려묘", "냥이"), ("룸메이트", "룸메"), ("절친", "베프", "단짝", "제일 친한 친구", "가장 친한 친구"),
    ("팀장님", "팀장"), ("부장님", "부장"), ("사장님", "사장"), ("과장님", "과장"), ("아이", "애기", "아기", "자녀"),
    ("mother", "mom", "mum", "mommy"), ("father", "dad", "daddy"), ("dog", "puppy"), ("cat", "kitten", "kitty"), ("grandmother", "grandma"), ("grandfather", "grandpa"),
    ("best friend", "bestie"),
)  # fmt: skip
_CANON: Final = {word: group[0] for group in _SAME for word in group}
_WIDER: Final = {
    "지도교수님": "교수님", "담임선생님": "선생님",
    "여동생": "동생", "남동생": "동생", "막내동생": "동생", "막내": "동생", "엄마": "부모님", "어머니": "부모님", "아버지": "부모님", "강아지": "반려동물", "고양이": "반려동물", "햄스터": "반려동물",
    "토끼": "반려동물", "앵무새": "반려동물", "거북이": "반려동물", "남자친구": "애인", "여자친구": "애인", "아들": "아이", "딸": "아이", "절친": "친구", "직장동료": "동료",
    "애완동물": "반려동물", "연인": "애인", "고슴도치": "반려동물", "물고기": "반려동물", "금붕어": "반려동물",
    "sister": "sibling", "brother": "sibling", "dog": "pet", "cat": "pet", "hamster": "pet", "rabbit": "pet", "boyfriend": "partner", "girlfriend": "partner",
    "husband": "spouse", "wife": "spouse", "mother": "parent", "father": "parent", "son": "child", "daughter": "child", "best friend": "friend",
}  # fmt: skip
_BY_BIRTH: Final = frozenset("첫째 둘째 셋째 막내".split())
ENGLISH_KIN: Final = frozenset(
    "mother mom mum father dad parents sister brother son daughter husband wife grandmother grandma grandfather grandpa aunt uncle cousin nephew niece "
    "boyfriend girlfriend partner fiance fiancee friend roommate boss manager coworker colleague teacher professor neighbor dog puppy cat kitten hamster "
    "rabbit parrot turtle pet kid child baby sibling".split()
) | {"best friend"}
ENGLISH_PETS: Final = frozenset("dog puppy cat kitten hamster rabbit parrot turtle pet fish bird".split())


def canonical(word: str) -> str:
    """One word for those that mean the same person: "엄마" and "어머님" are "어머니"."""
    word = word.strip()
    return _CANON.get(word, word)


def same_person(asked: str, told: str) -> bool:
    """Whether who is asked about is who was told of: the same word, a synonym, or a wider word ("동생" asks of "여동생", not the reverse)."""
    a, b = canonical(asked), canonical(told)
    if b and b.split()[0] in _BY_BIRTH and (a == "아이" or b.endswith(f" {a}")):
        return True
    return a == b or _WIDER.get(b) == a or (_WIDER.get(b) is not None and canonical(_WIDER[b]) == a)


def wordings(asked: str) -> tuple[str, ...]:
    """Every word by which somebody who fits `asked` may have been spoken of, the word itself first ("동생": 동생, 여동생, 남동생, ...)."""
    children = {f"{order} {child}" for order in _BY_BIRTH for child in ("아들", "딸")}
    everyone = sorted((KIN | ENGLISH_KIN | children) - {asked})
    return (asked, *(word for word in everyone if same_person(asked, word)))
