# ruff: noqa: E501 (tables and patterns read better in wide rows)
"""Nouns that name a slot: "생신" is a birthday, "직장" a workplace. Facts state by them, questions ask by them."""

from __future__ import annotations

from typing import Final

_NOUNS: Final[dict[str, str]] = {
    "name": "이름 성함 본명 실명 성명 함자",
    "nickname": "별명 닉네임 애칭 별칭 호칭 영어이름",
    "age": "나이 연세 춘추",
    "birthday": "생일 생신 탄생일 생년월일 태어난날 생일날 귀빠진날",
    "blood_type": "혈액형 피형",
    "mbti": "MBTI mbti 엠비티아이",
    "zodiac": "띠 별자리",
    "height": "키 신장",
    "weight": "몸무게 체중",
    "hometown": "고향 출신 출신지 본가",
    "live_in": "집 거주지 동네 사는곳 사는동네 자취방 사는지역 사는도시 지역",
    "nationality": "국적",
    "religion": "종교",
    "phone": "전화번호 핸드폰번호 휴대폰번호 연락처 폰번호",
    "school": "학교 대학교 대학 모교 출신학교 고등학교 중학교 초등학교 대학원",
    "major": "전공 학과 과 전공과목",
    "grade": "학년",
    "job": "직업 하는일 본업 생업",
    "workplace": "직장 회사 일터 다니는회사 근무지 직장이름 회사이름 알바",
    "hobby": "취미 취미생활 여가활동",
    "allergy": "알레르기 알러지 앨러지",
    "condition": "병 지병 질환 질병 건강 건강상태 병명 증상 컨디션",
    "medicine": "약 복용약 먹는약 영양제",
    "pet": "반려동물 애완동물",
    "anniversary": "결혼기념일 기념일",
    "plan": "일정 약속 스케줄 예정 미팅 회의 면접 시험 여행 예약 모임 회식 소개팅 데이트 결혼식 발표 출장 검진 건강검진 콘서트 공연 이사 수술 진료 상담 세미나 워크숍 졸업식 수업 행사 동창회 파티 인터뷰 "
    "출국 입국 비행기 병원예약 치과예약 소풍 체육대회 입학식 면담 캠핑 휴가 집들이 돌잔치 기말고사 중간고사 수능 오디션 대회 경기 마감 마감일 데드라인 제출일",
    "friend": "절친 베프 단짝",
    "partner": "애인 연인",
    "memo": "메모",
    "attribute": "성별 부서 직책 직급 직함 직무 상사 특기 장기 자격증 차 자동차 폰 핸드폰 휴대폰 노트북 자전거 차종 품종 견종 묘종 목표 꿈 소원 장래희망 좌우명",
}
ATTRIBUTES: Final[dict[str, str]] = {noun: predicate for predicate, nouns in _NOUNS.items() for noun in nouns.split()}
"""Noun (without spaces) to predicate."""


def attribute_of(phrase: str) -> str | None:
    """The slot that a noun phrase names, by its last word or by the whole without spaces: "전화 번호", "회사 이름", "올해 목표"."""
    squashed = phrase.replace(" ", "")
    if squashed in ATTRIBUTES:
        return ATTRIBUTES[squashed]
    last = phrase.split()[-1] if phrase.split() else ""
    return ATTRIBUTES.get(last)
