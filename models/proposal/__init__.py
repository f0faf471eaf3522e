"""Proposes the settings of a humanoid from its robot file alone."""

from models.proposal.grouping import pelvis_link
from models.proposal.propose import Proposal, propose
from models.proposal.scaling import SHIPPED
from models.proposal.toml_text import settings_text

__all__ = ["SHIPPED", "Proposal", "pelvis_link", "propose", "settings_text"]
