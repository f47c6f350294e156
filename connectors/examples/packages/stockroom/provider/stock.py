"""The tools: what they are, and what they do."""

import service
from faults import ProviderError

ITEM = {"type": "string", "minLength": 1, "maxLength": 40, "description": "Item number, such as B-0042"}


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
        "find_items",
        "Find items by name, number or shelf in your warehouse.",
        {"query": {"type": "string", "minLength": 1, "maxLength": 200}},
        ["query"],
    ),
    tool("read_item", "Read one item: stock, shelf and last movements.", {"item": ITEM}, ["item"]),
    tool(
        "book_movement",
        "Book goods in (positive) or out (negative).",
        {
            "item": ITEM,
            "quantity": {"type": "integer", "minimum": -10000, "maximum": 10000},
            "reason": {"type": "string", "minLength": 3, "maxLength": 300},
        },
        ["item", "quantity", "reason"],
        effect="write",
        retry_policy="never",
        confirmation="user_required",
    ),
]


def discover(_context):
    return {"tools": TOOLS}


def invoke(context):
    act = ACTS.get(context["tool_name"])
    if act is None:
        raise ProviderError("bad_request", "There is no such tool")
    try:
        return act(context, context["credentials"], context["arguments"])
    except ProviderError as error:
        if error.code not in {"not_found", "conflict"}:
            raise
        return refused(error)


def find_items(context, credentials, arguments):
    query = {
        "q": arguments["query"],
        "warehouse": credentials["warehouse"],
        "limit": context["configuration"]["public"].get("page_size", 20),
    }
    found = service.call(context, "GET", "/api/items", access_key=credentials["access_key"], query=query)
    items = found.get("items", [])
    lines = [f"{item['number']}: {item['name']}, {item['stock']} on shelf {item['shelf']}" for item in items]
    return told("\n".join(lines) or "Nothing found.", {"items": items})


def read_item(context, credentials, arguments):
    item = service.call(context, "GET", path_of(arguments["item"]), access_key=credentials["access_key"])
    return told(f"{item['number']}: {item['name']}, {item['stock']} on shelf {item['shelf']}", item)


def book_movement(context, credentials, arguments):
    booked = service.call(
        context,
        "POST",
        f"{path_of(arguments['item'])}/movements",
        access_key=credentials["access_key"],
        body={"quantity": arguments["quantity"], "reason": arguments["reason"], "warehouse": credentials["warehouse"]},
        once=context["invocation_id"],
    )
    return told(f"Booked. {arguments['item']} now has {booked['stock']}.", booked)


def path_of(item):
    """An item's number is data, never a path: only what can be part of a number gets into the address."""
    if not item.replace("-", "").replace("_", "").isalnum() or not item.isascii():
        raise ProviderError("bad_request", "This is not an item number")
    return f"/api/items/{item}"


def told(text, structured):
    content = [{"type": "text", "text": text}]
    return {"content": content, "structured_content": structured, "is_error": False, "error": None}


def refused(error):
    return {
        "content": [{"type": "text", "text": error.message}],
        "structured_content": None,
        "is_error": True,
        "error": {"code": error.code, "message": error.message, "retryable": error.retryable},
    }


ACTS = {"find_items": find_items, "read_item": read_item, "book_movement": book_movement}
