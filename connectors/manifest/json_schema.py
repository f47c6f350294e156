"""The manifest's JSON Schema, for editors: made from the models, so that it cannot say anything else.

It knows shapes. What must fit together, and fit the texts and files, only `check_package` knows.
"""

import json
from functools import cache
from typing import Any

from connectors.manifest.schema import Manifest

SCHEMA_NAME = "manifest-v1.json"


@cache
def render_json_schema() -> str:
    """The schema as it is committed and served: draft 2020-12, two spaces, a line feed at the end."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_without_noise(Manifest.model_json_schema()),
        "title": "Connector package manifest, version 1",
        "description": "manifest.json of a connector package.",
    }
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def _without_noise(node: Any, *, names: bool = False) -> Any:
    """Drop the titles pydantic makes from attribute names, but no property that is called `title`."""
    if isinstance(node, list):
        return [_without_noise(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _without_noise(value, names=key in {"properties", "$defs"} and not names)
        for key, value in node.items()
        if names or key != "title"
    }
