"""The name a tool has inside its connector."""


def tool_key(server: str | None, tool: str) -> str:
    """`tool`, or `server/tool` where a connector has several servers (handbook §6). Server keys hold no slash."""
    return f"{server}/{tool}" if server else tool
