"""What stands above every engine: who sounds at risk, who asks what LIRA is, and what no answer may say."""

from lira_core.safety.help_lines import care, is_care, since_care
from lira_core.safety.risk import AT_RISK, at_risk, risk_of, said_at_risk, sounds_at_risk

__all__ = ["AT_RISK", "at_risk", "care", "is_care", "risk_of", "said_at_risk", "since_care", "sounds_at_risk"]
