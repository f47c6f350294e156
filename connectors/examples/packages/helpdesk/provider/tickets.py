"""The tools: what they are, and what they do."""

from urllib.parse import quote

import httpx
from faults import ProviderError
from oauth import TIMEOUT, base

TICKET = {"type": "integer", "minimum": 1, "description": "The ticket's number"}
STATUSES = ["open", "waiting", "closed"]
CONFIRMED = {"effect": "write", "retry_policy": "never", "confirmation": "user_required"}
FAULTS = {
    400: ("bad_request", "The helpdesk did not accept the request", False),
    401: ("authorization_required", "The helpdesk wants a new sign-in", False),
    403: ("insufficient_scope", "The sign-in does not cover this", False),
    404: ("not_found", "There is no such ticket", False),
    409: ("conflict", "The ticket has changed meanwhile; read it again", False),
    429: ("rate_limited", "The helpdesk asks to slow down", True),
}


def tool(key, description, properties, required, **policy):
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    read = {"effect": "read", "retry_policy": "safe", "confirmation": "not_required"}
    return {
        "key": key,
        "upstream_name": key,
        "description": description,
        "input_schema": schema,
        "output_schema": None,
        "source_revision": f"{key}-1",
        **read,
        **policy,
    }


TOOLS = [
    tool(
        "search_tickets",
        "Search tickets by words and status, those that have waited longest first.",
        {"query": {"type": "string", "maxLength": 200}, "status": {"type": "string", "enum": STATUSES}},
        [],
    ),
    tool("read_ticket", "Read one ticket and its whole conversation.", {"ticket": TICKET}, ["ticket"]),
    tool(
        "add_comment",
        "Answer in a ticket.",
        {"ticket": TICKET, "text": {"type": "string", "minLength": 1, "maxLength": 10000}},
        ["ticket", "text"],
        effect="write",
        retry_policy="never",
        confirmation="not_required",
    ),
    tool(
        "assign_ticket",
        "Give a ticket to a colleague.",
        {"ticket": TICKET, "assignee": {"type": "string", "minLength": 1, "maxLength": 100}},
        ["ticket", "assignee"],
        **CONFIRMED,
    ),
    tool(
        "close_ticket",
        "Close a ticket. The customer is told, and it cannot be opened again.",
        {"ticket": TICKET, "reason": {"type": "string", "minLength": 3, "maxLength": 500}},
        ["ticket", "reason"],
        **{**CONFIRMED, "effect": "destructive"},
    ),
]


def discover(_context):
    return {"tools": TOOLS}


def launch_url(context):
    """Where a person continues in the browser: their workspace, once it is known."""
    workspace = context["connection_metadata"].get("workspace")
    address = context["public_configuration"].get("base_url", "").rstrip("/")
    return {"url": f"{address}/w/{quote(workspace, safe='')}" if workspace and address else None}


def invoke(context):
    act = ACTS.get(context["tool_name"])
    if act is None:
        raise ProviderError("bad_request", "There is no such tool")
    try:
        return act(context, context["arguments"])
    except ProviderError as error:
        if error.code not in {"not_found", "conflict"}:
            raise
        told = {"code": error.code, "message": error.message, "retryable": False}
        content = [{"type": "text", "text": error.message}]
        return {"content": content, "structured_content": None, "is_error": True, "error": told}


def search_tickets(context, arguments):
    found = call(context, "GET", "/api/tickets", params={k: v for k, v in arguments.items() if v})
    lines = [f"#{one['id']} [{one['status']}] {one['subject']}" for one in found["tickets"]]
    return told("\n".join(lines) or "No ticket fits.", found)


def read_ticket(context, arguments):
    ticket = call(context, "GET", f"/api/tickets/{int(arguments['ticket'])}")
    lines = [f"#{ticket['id']} [{ticket['status']}] {ticket['subject']}"]
    lines += [f"{comment['author']}: {comment['text']}" for comment in ticket["comments"]]
    return told("\n".join(lines), ticket)


def add_comment(context, arguments):
    path = f"/api/tickets/{int(arguments['ticket'])}/comments"
    return told("The comment is in the ticket.", call(context, "POST", path, json={"text": arguments["text"]}))


def assign_ticket(context, arguments):
    path = f"/api/tickets/{int(arguments['ticket'])}/assignee"
    return told("The ticket is assigned.", call(context, "PUT", path, json={"name": arguments["assignee"]}))


def close_ticket(context, arguments):
    path = f"/api/tickets/{int(arguments['ticket'])}/close"
    return told("The ticket is closed.", call(context, "POST", path, json={"reason": arguments["reason"]}))


def call(context, method, path, **request):
    """The decoded answer. A write carries the invocation's id, so that the helpdesk does it once."""
    writing = method != "GET"
    headers = {"Authorization": f"Bearer {context['credentials']['access_token']}"}
    if writing:
        headers["Idempotency-Key"] = context["invocation_id"]
    try:
        response = httpx.request(method, base(context) + path, headers=headers, timeout=TIMEOUT, **request)
    except httpx.ConnectError as error:
        raise ProviderError("unavailable", "The helpdesk could not be reached", retryable=True) from error
    except httpx.HTTPError as error:
        message = "No answer came; the change may have been made" if writing else "The helpdesk did not answer in time"
        raise ProviderError("external_error" if writing else "unavailable", message, retryable=not writing) from error
    if response.status_code in FAULTS:
        code, message, retryable = FAULTS[response.status_code]
        raise ProviderError(code, message, retryable=retryable and not writing)
    if not response.is_success:
        raise ProviderError("unavailable", f"The helpdesk answered {response.status_code}", retryable=not writing)
    return response.json()


def told(text, structured):
    content = [{"type": "text", "text": text}]
    return {"content": content, "structured_content": structured, "is_error": False, "error": None}


ACTS = {
    "search_tickets": search_tickets,
    "read_ticket": read_ticket,
    "add_comment": add_comment,
    "assign_ticket": assign_ticket,
    "close_ticket": close_ticket,
}
