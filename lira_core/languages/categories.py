# ruff: noqa: E501 (tables and patterns read better in wide rows)
"""What kind of thing a word is: the small table by which "좋아하는 과일" finds 딸기 and "favourite fruit" finds strawberries.

One table serves facts and questions. A word may be of several kinds (차 is a drink and a vehicle); the kinds themselves nest (음식 holds 과일).
"""

from __future__ import annotations

from typing import Final

_MEMBERS: Final[dict[str, str]] = {
    "과일": "사과 딸기 바나나 포도 수박 참외 복숭아 귤 오렌지 망고 배 감 체리 키위 블루베리 파인애플 자두 멜론 레몬 자몽 석류 무화과 샤인머스캣 한라봉 살구 라임 코코넛 아보카도 "
    "apple strawberry banana grape watermelon peach orange mango cherry kiwi blueberry pineapple plum melon lemon grapefruit pear avocado",
    "채소": "오이 당근 가지 양파 마늘 토마토 상추 배추 시금치 브로콜리 버섯 고구마 감자 호박 파 고수 피망 파프리카 콩나물 깻잎 양배추 셀러리 무 "
    "cucumber carrot eggplant onion garlic tomato lettuce spinach broccoli mushroom potato cilantro celery cabbage",
    "음료": "커피 차 녹차 홍차 아메리카노 라떼 카페라떼 에스프레소 콜라 사이다 주스 우유 두유 밀크티 버블티 코코아 핫초코 허브티 보리차 캐모마일 루이보스 말차 콜드브루 카푸치노 탄산수 스무디 "
    "식혜 유자차 카모마일 믹스커피 디카페인 coffee tea latte espresso americano cola coke juice milk cocoa smoothie lemonade water soda matcha",
    "커피": "아메리카노 라떼 카페라떼 에스프레소 콜드브루 카푸치노 믹스커피 바닐라라떼 아이스아메리카노 latte espresso americano cappuccino",
    "차": "녹차 홍차 허브티 보리차 캐모마일 루이보스 말차 유자차 카모마일",
    "술": "맥주 소주 와인 막걸리 위스키 칵테일 사케 샴페인 하이볼 beer wine whisky whiskey cocktail soju sake champagne",
    "해산물": "새우 게 조개 굴 회 오징어 문어 낙지 랍스터 연어 참치 고등어 생선 갑각류 전복 홍합 초밥 shrimp crab clam oyster squid octopus lobster salmon tuna fish shellfish seafood",
    "고기": "소고기 돼지고기 닭고기 삼겹살 양고기 스테이크 갈비 곱창 베이컨 치킨 beef pork chicken lamb steak bacon",
    "견과류": "땅콩 호두 아몬드 캐슈넛 잣 피스타치오 peanut walnut almond cashew pistachio nut",
    "유제품": "우유 치즈 요거트 버터 생크림 요구르트 milk cheese yogurt butter cream",
    "디저트": "케이크 아이스크림 초콜릿 마카롱 쿠키 푸딩 빙수 도넛 와플 젤리 사탕 티라미수 타르트 빵 과자 cake icecream chocolate macaron cookie pudding donut waffle candy",
    "빵": "크루아상 베이글 식빵 바게트 소금빵 단팥빵 bread croissant bagel",
    "음식": "김치찌개 된장찌개 떡볶이 치킨 피자 파스타 스파게티 초밥 라면 비빔밥 냉면 국밥 삼겹살 불고기 김밥 마라탕 쌀국수 햄버거 샌드위치 샐러드 돈까스 짜장면 짬뽕 탕수육 갈비 만두 카레 우동 "
    "순대국 족발 보쌈 곱창 회 스테이크 타코 칼국수 수제비 제육볶음 볶음밥 김치 찌개 국수 죽 쫄면 잡채 매운음식 닭갈비 부대찌개 오므라이스 리조또 훠궈 라멘 해장국 떡국 미역국 "
    "pizza pasta spaghetti sushi ramen burger sandwich salad noodle curry taco steak dumpling kimchi bibimbap rice soup",
    "동물": "강아지 고양이 개 토끼 햄스터 새 앵무새 거북이 물고기 말 판다 코끼리 사자 호랑이 펭귄 돌고래 여우 곰 고래 반려동물 고슴도치 dog cat rabbit hamster bird parrot turtle fish horse panda elephant lion tiger",
    "반려동물": "강아지 고양이 개 토끼 햄스터 앵무새 거북이 물고기 고슴도치 금붕어 반려견 반려묘 dog cat rabbit hamster parrot turtle fish puppy kitten",
    "운동": "수영 요가 필라테스 헬스 축구 농구 야구 배구 테니스 배드민턴 탁구 골프 달리기 러닝 조깅 마라톤 등산 클라이밍 볼링 자전거 사이클 스키 스노보드 복싱 태권도 유도 주짓수 크로스핏 발레 산책 "
    "댄스 서핑 줄넘기 풋살 검도 걷기 스쿼시 스케이트 swimming yoga pilates gym soccer football basketball baseball volleyball tennis badminton golf running jogging marathon hiking climbing "
    "bowling cycling skiing boxing taekwondo surfing dancing",
    "스포츠": "축구 농구 야구 배구 테니스 배드민턴 탁구 골프 soccer football basketball baseball volleyball tennis golf",
    "악기": "피아노 기타 바이올린 첼로 드럼 플루트 우쿨렐레 베이스 하모니카 클라리넷 색소폰 가야금 트럼펫 오보에 piano guitar violin cello drum flute ukulele bass harmonica saxophone",
    "색": "빨간색 파란색 노란색 초록색 검은색 흰색 보라색 분홍색 주황색 하늘색 회색 핑크 민트색 남색 갈색 베이지 검정색 검정 파랑 빨강 노랑 초록 보라 연두색 하얀색 네이비 "
    "red blue yellow green black white purple pink orange gray grey navy brown mint",
    "계절": "봄 여름 가을 겨울 spring summer autumn fall winter",
    "음악": "재즈 클래식 힙합 발라드 록 락 팝 인디 트로트 케이팝 알앤비 edm 노래 국악 jazz classical hiphop rock pop ballad kpop",
    "꽃": "장미 튤립 해바라기 벚꽃 수국 백합 프리지아 라벤더 카네이션 코스모스 국화 작약 rose tulip sunflower lily lavender",
    "직업": "의사 간호사 교사 선생님 개발자 디자이너 변호사 요리사 회사원 공무원 경찰 소방관 약사 기자 작가 배우 가수 프로그래머 엔지니어 마케터 기획자 회계사 건축가 사진작가 번역가 통역사 승무원 조종사 군인 농부 "
    "미용사 바리스타 제빵사 셰프 유튜버 연구원 교수 수의사 치과의사 한의사 간호조무사 물리치료사 사회복지사 상담사 상담원 영업사원 은행원 세무사 판사 검사 운전기사 택시기사 배달원 트레이너 강사 학원강사 "
    "피아니스트 화가 일러스트레이터 웹툰작가 프리랜서 자영업자 사업가 주부 전업주부 백수 취준생 취업준비생 대학생 고등학생 중학생 초등학생 대학원생 학생 인턴 사서 비서 큐레이터 아나운서 pd 감독 모델 알바생 "
    "아르바이트생 유치원교사 보육교사 데이터분석가 데이터과학자 백엔드개발자 프론트엔드개발자 소프트웨어엔지니어 직장인 창업가 플로리스트 네일아티스트 심리상담사 방사선사 요양보호사 소설가 시인 무용수 "
    "성우 정비사 목수 용접공 경호원 경비원 "
    "doctor nurse teacher developer designer lawyer chef cook programmer engineer accountant writer artist student police firefighter pharmacist scientist "
    "researcher manager barista baker freelancer pilot musician photographer architect dentist veterinarian vet journalist professor electrician",
    "취미": "등산 독서 요리 그림 사진 낚시 캠핑 게임 뜨개질 베이킹 여행 음악감상 영화감상 악기 운동 춤 노래 정원가꾸기 서예 도예 자수 퍼즐 보드게임 클라이밍 수영 러닝 요가 기타 피아노 hiking reading cooking "
    "drawing photography fishing camping gaming knitting baking gardening painting",
    "병": "고혈압 당뇨 당뇨병 천식 비염 아토피 우울증 불면증 편두통 위염 감기 독감 갑상선 빈혈 디스크 허리디스크 공황장애 역류성식도염 관절염 결막염 장염 코로나 두통 생리통 변비 이명 역류성 adhd 난시 근시 건선 "
    "지방간 고지혈증 저혈압 폐렴 암 통풍 migraine diabetes asthma insomnia anemia depression anxiety flu cold",
    "일정": "미팅 약속 회의 모임 회식 소개팅 동창회 데이트 면접 시험 여행 결혼식 발표 예약 병원 검진 건강검진 수술 출장 콘서트 공연 이사 파티 세미나 워크숍 수업 치과 진료 행사 공항 비행기 상담 "
    "meeting appointment interview exam trip wedding presentation dentist concert party",
}
_WIDER: Final[dict[str, tuple[str, ...]]] = {
    "과일": ("음식", "먹"), "채소": ("음식", "먹"), "해산물": ("음식", "먹"), "고기": ("음식", "먹"), "견과류": ("음식", "먹"), "유제품": ("음식", "먹"), "디저트": ("음식", "간식", "먹"),
    "빵": ("음식", "간식", "먹"), "술": ("음료", "마실 것", "마시"), "커피": ("음료", "마시"), "차": ("음료", "마시"), "음료": ("마실 것", "마시"), "음식": ("먹을 것", "먹", "메뉴"),
    "스포츠": ("운동",),
}  # fmt: skip
_SAME: Final[dict[str, str]] = {
    "음료수": "음료", "마실 것": "음료", "마실거": "음료", "드링크": "음료", "색깔": "색", "컬러": "색", "야채": "채소", "먹을 것": "음식", "먹거리": "음식", "요리": "음식", "메뉴": "음식", "간식": "디저트",
    "반려견": "강아지", "노래": "음악", "장르": "음악", "스포츠": "스포츠", "애완동물": "반려동물", "질병": "병", "주류": "술", "육류": "고기", "fruit": "과일", "vegetable": "채소", "drink": "음료",
    "beverage": "음료", "food": "음식", "dish": "음식", "meal": "음식", "animal": "동물", "pet": "반려동물", "sport": "운동", "exercise": "운동", "workout": "운동", "instrument": "악기", "color": "색",
    "colour": "색", "season": "계절", "music": "음악", "flower": "꽃", "job": "직업", "hobby": "취미", "dessert": "디저트", "alcohol": "술", "seafood": "해산물", "meat": "고기", "nuts": "견과류",
    "dairy": "유제품", "disease": "병", "event": "일정", "appointment": "일정", "schedule": "일정",
}  # fmt: skip
_KINDS: Final[dict[str, frozenset[str]]] = {}
for _kind, _words in _MEMBERS.items():
    for _word in _words.split():
        _KINDS[_word] = _KINDS.get(_word, frozenset()) | {_kind, *_WIDER.get(_kind, ())}


# What a compound is by its one-syllable end, told by an example.
_ENDINGS: Final = {
    "차": "녹차", "밥": "비빔밥", "면": "라면", "찌개": "김치찌개", "탕": "마라탕", "빵": "식빵", "색": "빨간색", "볶음": "제육볶음", "전골": "김치찌개",
    "주스": "주스", "구이": "갈비", "튀김": "치킨", "꽃": "장미", "국수": "국수",
}  # fmt: skip


def kind_name(word: str) -> str:
    """One name per kind: "음료수", "drinks" are "음료"; a word that is no kind comes back as it is."""
    word = word.strip().lower()
    for form in (word, word.removesuffix("s"), word.removesuffix("es")):
        if form in _SAME:
            return _SAME[form]
    return word


def is_kind(word: str) -> bool:
    """Whether the word names a kind that has members ("과일", "drinks")."""
    name = kind_name(word)
    return name in _MEMBERS or name in _SAME.values()


def kinds_of(word: str) -> frozenset[str]:
    """The kinds a thing is of, wider ones too: "딸기" is {"과일", "음식", "먹"}. Compounds go by their last known part ("아이스 아메리카노")."""
    word = word.strip().lower()
    squashed = word.replace(" ", "")
    for form in (word, squashed, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ies") + "y"):
        if form in _KINDS:
            return _KINDS[form] | frozenset(_WIDER.get(form, ()))
        if form in _WIDER:
            return frozenset(_WIDER[form])
    for part in reversed(word.split()):
        if (kinds := _KINDS.get(part) or _KINDS.get(part.removesuffix("s"))) is not None:
            return kinds
    # "딸기우유", "감기약": a Korean compound is what its end is.
    for start in range(1, len(squashed) - 1):
        if "가" <= squashed[start] <= "힣" and len(squashed) - start >= 2 and squashed[start:] in _KINDS:
            return _KINDS[squashed[start:]]
    return next((_KINDS[like] for end, like in _ENDINGS.items() if len(squashed) > len(end) + 1 and squashed.endswith(end)), frozenset())


def related(general: str, thing: str) -> bool:
    """Whether `thing` is of the kind `general`, or they are the same word: related("과일", "딸기"), related("drinks", "coffee")."""
    kind = kind_name(general)
    return kind == kind_name(thing) or kind in kinds_of(thing) or kind in thing.lower()
