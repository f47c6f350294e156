"""Skills the package carries (handbook §7)."""

from connectors.manifest.formats import SkillKey, SkillPath
from connectors.manifest.part import Part


class Skill(Part):
    key: SkillKey
    path: SkillPath
