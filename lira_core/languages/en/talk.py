"""How English sounds: small talk, sorrow."""

from __future__ import annotations

import re

from lira_core.generation.plan import Talk, kinds

TALK = Talk(
    short=40,
    calls=re.compile(r"^lira[\s,!:]+|[\U0001F000-\U0001FAFF☀-➿\uFE0F]+", re.I),
    small=kinds(
        ("laugh", r"^(?:(?:ha)+h?|lol|lmao|hehe)[\s!.]*$"),
        ("backchannel", r"^(?:ok|okay|yes|yeah|yep|no|nope|sure|i see|right|hmm+|mm+|well|cool|fine|got it)[\s!.]*$"),
        ("kept", r"^(?:please )?(?:remember|save|keep) (?:this|that|it)[\s!.]*$"),
    ),
    # Of 2,743 such questions of data/people 43 have a yes or no.
    what=re.compile(
        r"^(?:(?:and|so|but|hey|ok|lira)[, ]+)*(?:(?:until|till|by|since|from|for|in|at|on|to|with|about|of)\s+)?"
        r"(?:who|whom|whose|what|when|where|which|why|how)\b",
        re.I,
    ),
    several=re.compile(r"\bboth\b|\ball\b|\bnames\b|\band (?:what|where|when|who|my)\b", re.I),
    sorrowful=kinds(
        ("hard", r"\b(?:sad|depress\w*|exhaust\w*|tired|lonely|hopeless|miserable|struggl\w*|overwhelmed|cry\w*|hurts?|empty|anxious)\b")
    ),
    plans=kinds(
        ("clinic", r"\b(?:hospital|dentist|surgery|operation|check-?up|doctor|appointment|treatment)\b"),
        ("test", r"\b(?:interview|exam|test|presentation|audition|final|competition)\b"),
        ("trip", r"\b(?:trip|travel\w*|flight|flying|vacation|holiday|camping)\b"),
        ("celebrate", r"\b(?:wedding|birthday|graduation|anniversary|party)\b"),
    ),
    noticed="professional",
    date=re.compile(
        r"(?:so|hey|and|ok)?[\s,]*(?:when(?:'s|s|\s+is)|what(?:'s|s|\s+is)?(?:\s+the)?\s+(?:day|date)(?:\s+of\s+the\s+(?:week|month))?(?:\s+is)?(?:\s+it)?)[\s?.!]*",
        re.I,
    ),
    time=re.compile(r"(?:so|hey|and|ok)?[\s,]*what(?:'s|s|\s+is)?(?:\s+the)?\s+time(?:\s+is\s+it)?(?:\s+(?:right\s+)?now)?[\s?.!]*", re.I),
)
