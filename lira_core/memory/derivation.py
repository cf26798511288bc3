"""By whom a memory's facts were found, as one number, `Memory.derived`: newer rules have a higher one than whatever older rules and a model made.

| number | the facts are |
|---|---|
| 0 | nobody's yet |
| `RULES` | those of the rules alone |
| `WAITING` | those of the rules, and a model is to be asked |
| `MISREAD` | those of the rules, because the model's answer could not be used |
| `READ` | those of the rules and of the model, as `EXTRACTION` asks it |
"""

from __future__ import annotations

from typing import Final

from lira_core.memory.facts import VERSION

EXTRACTION: Final = 1
"""Of how a model is asked, and of what is taken from its answer (`lira_core.memory.understander`): raised by hand, as the rules' VERSION."""
STEP: Final = 16
"""Numbers that a version of the rules has: thirteen versions of EXTRACTION fit, and the rules' begins anew."""

RULES: Final = VERSION * STEP
WAITING: Final = RULES + 1
MISREAD: Final = RULES + 2
READ: Final = MISREAD + EXTRACTION
