"""Dates and times in Korean and English text, resolved against the moment they were said.

A week starts on Monday ("다음 주 금요일" is the Friday of the next calendar week; "next Friday" too). A bare weekday is the
coming one, or the last one in a sentence about the past. An hour without 오전/오후 keeps that doubt: it is resolved to the likelier half
of the day but said as it was said. "둘째 주 토요일" of a month is its second Saturday. Twelve to four of a night come after its midnight: they are of
the day named and strike on the next. Repetitions ("매주 토요일", "every day") are habits, not dates; of the weekly and monthly ones
`finding.recurrences` tells the days.
"""
