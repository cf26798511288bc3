"""How English sounds when somebody may think of harming themselves."""

from __future__ import annotations

import re

_WORDS = re.compile(
    "|".join(
        (
            r"\bkill(?:ing)? myself\b",
            r"\b(?:want|wanted|wanna|ready|going|gonna|rather|deserve|need|hope|try(?:ing)?) (?:to )?die\b",
            r"\bwish(?:ed)? (?:that )?i (?:was|were|am) (?:dead|never born|not alive|gone)\b|\bwish i(?:'d| had) never been born\b",
            r"\bwish i could (?:just )?(?:die|disappear)\b",
            r"\bend(?:ing)? (?:my (?:own )?life|it all|everything)\b|\btak(?:e|ing) my (?:own )?life\b|\bsuicid(?:e|al)\b(?! squad)",
            r"\b(?:don'?t|do not|no longer|never) (?:really )?(?:want|wanna|feel like|care) ?(?:to )?"
            r"(?:live|living|be alive|being alive|exist|be here any ?more|wake up)\b",
            r"\b(?:no|any|find a) (?:reason|point|will) (?:to|in|for) (?:live|living|go on|going on|be alive)\b",
            r"\b(?:life|it) (?:is|'s)(?: not|n'?t) worth living\b",
            r"\bbetter off (?:dead|without me)\b|\bself[- ]?harm\w*\b",
            r"\b(?:want|going|gonna|wanna|like|urge|thinking) (?:to |of |about )?(?:hurt|hurting|cut|cutting) myself\b",
            r"\b(?:cut|cutting|hurting|starving) myself\b"
            r"(?! (?:on|off|a |some|while|with (?:a|the) (?:paper|knife while)|shaving|cooking|at|playing|running|short))",
            r"\b(?:can'?t|cannot|can not) (?:go on|live like this|take it any ?more|do this any ?more)\b|\btired of (?:living|being alive|life)\b",
            r"\bwant (?:it all|everything|the pain) to (?:end|stop)\b|\b(?:disappear|sleep) forever\b|\bnever wake up\b",
            r"\boverdos(?:e|ing)\b|\bhang myself\b|\bjump off (?:a|the) (?:bridge|building|roof)\b",
        )
    )
)
_IDIOMS = re.compile(
    "|".join(
        (
            r"\bdie (?:of |from )?(?:laugh\w*|happiness|embarrassment|cuteness|hunger|boredom)|\bto die for\b|\bdying (?:to|of)\b",
            r"\bn(?:o|')t want to die\b",
            # Who says that they do not: care at a denial drives them away, and the head still hears what it would.
            r"\bnot (?:suicidal|(?:gonna|going to|thinking (?:of|about)|planning (?:to|on)) (?:suicide|(?:kill|hurt)(?:ing)? myself))\b"
            r"(?!,? (?:yet|but|any ?more))",
        )
    )
)


def sounds_at_risk(text: str) -> bool:
    """Whether the words of a text say it; of a Korean one that has English in it, too."""
    return bool(_WORDS.search(_IDIOMS.sub(" ", text.lower().replace("’", "'"))))
