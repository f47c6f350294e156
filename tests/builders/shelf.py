"""A shelf of small packages as a company would have them: named in two languages, in three categories."""

import json
from pathlib import Path
from typing import Any

from tests.builders.packages import build_manifest, build_package

# key -> (English, Chinese, category, colour)
SHELF = {
    "calendar": ("Team calendar", "团队日历", "office", "#2563eb"),
    "mail": ("Mail", "邮件", "office", "#dc2626"),
    "notes": ("Notes", "笔记", "office", "#d97706"),
    "tracker": ("Issue tracker", "问题跟踪", "development", "#7c3aed"),
    "builds": ("Builds", "构建", "development", "#0891b2"),
    "invoices": ("Invoices", "发票", "finance", "#16a34a"),
}
# One of each type, in two groups.
FIELDS: list[dict[str, Any]] = [
    {"key": "endpoint", "type": "url", "label_key": "field.endpoint", "group_key": "group.server", "required": True},
    {"key": "workspace", "type": "text", "label_key": "field.workspace", "description_key": "field.workspace.help",
     "group_key": "group.server", "min_length": 2, "max_length": 40},
    {"key": "client_secret", "type": "secret", "label_key": "field.secret", "group_key": "group.server"},
    {"key": "page_size", "type": "integer", "label_key": "field.size", "group_key": "group.limits",
     "minimum": 1, "maximum": 100, "default": 20},
    {"key": "region", "type": "select", "label_key": "field.region", "group_key": "group.limits", "default": "eu",
     "options": [{"value": "eu", "label_key": "region.eu"}, {"value": "cn", "label_key": "region.cn"}]},
    {"key": "read_only", "type": "boolean", "label_key": "field.readonly", "group_key": "group.limits",
     "default": False},
]  # fmt: skip
TEXTS = {
    "en": {
        "group.server": "Server", "group.limits": "Limits", "field.endpoint": "Address", "field.workspace": "Workspace",
        "field.workspace.help": "As it stands in the service's address.", "field.secret": "Client secret",
        "field.size": "Rows a page", "field.region": "Region", "region.eu": "Europe", "region.cn": "China",
        "field.readonly": "Read-only",
    },
    "zh-CN": {
        "group.server": "服务器", "group.limits": "限制", "field.endpoint": "地址", "field.workspace": "工作区",
        "field.workspace.help": "与服务地址中的一致。", "field.secret": "客户端密钥", "field.size": "每页行数",
        "field.region": "地区", "region.eu": "欧洲", "region.cn": "中国", "field.readonly": "只读",
    },
}  # fmt: skip


def build_shelf(folder: Path) -> dict[str, Path]:
    """Write each package of the shelf as a ZIP; return them by key."""
    return {key: _build(folder, key) for key in SHELF}


def _build(folder: Path, key: str) -> Path:
    english, chinese, category, colour = SHELF[key]
    manifest = build_manifest(key=key)
    manifest["presentation"]["category"] = category
    manifest["configuration"]["fields"] = FIELDS
    manifest["skills"] = [{"key": f"use-{key}", "path": f"skills/use-{key}"}]
    about = {
        "en": {"name": english, "description": f"Looks after the company's {english.lower()}."},
        "zh-CN": {"name": chinese, "description": f"管理公司的{chinese}。"},
    }
    skill = (
        f"---\nname: Use {english}\ndescription: When somebody asks about {english.lower()}.\n---\n\n# {english}\n\n"
        "Search first, then read what was found.\n\n1. Ask for **one page** at a time.\n2. Never delete unasked.\n"
    )
    icon = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">'
        f'<rect width="24" height="24" rx="6" fill="{colour}"/><circle cx="12" cy="12" r="5" fill="#fff"/></svg>'
    )
    files: dict[str, bytes | str] = {
        f"locales/{locale}.json": json.dumps(about[locale] | TEXTS[locale], ensure_ascii=False) for locale in TEXTS
    }
    files |= {f"skills/use-{key}/SKILL.md": skill, "assets/icon.svg": icon}
    return build_package(folder / f"{key}.zip", manifest=manifest, files=files)
