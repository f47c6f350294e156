"""One JSON request on standard input, one JSON answer on standard output; diagnostics go to standard error."""

import json
import sys

import measuring

TEXT = {"type": "string", "maxLength": 100_000}
NUMBER = {"type": "integer", "minimum": 0}
LINES = {"type": "array", "items": {"type": "string"}}


class ProviderError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


def shape(properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def tool(key, description, takes, gives):
    return {
        "key": key,
        "upstream_name": key,
        "description": description,
        "input_schema": shape(takes),
        "output_schema": shape(gives),
        "effect": "read",
        "retry_policy": "safe",
        "confirmation": "not_required",
        "source_revision": "1",
    }


TOOLS = [
    tool(
        "measure_text",
        "Count the characters, words and lines of a text and estimate how long it takes to read.",
        {"text": TEXT},
        {"characters": NUMBER, "words": NUMBER, "lines": NUMBER, "reading_seconds": NUMBER},
    ),
    tool(
        "compare_texts",
        "List the lines that were added and removed between two versions of a text.",
        {"before": TEXT, "after": TEXT},
        {"added": LINES, "removed": LINES},
    ),
]


def configuration_validate(_context):
    return {}


def authorization_identity(_context):
    return {"identity": {"program": "textbench"}}


def authorization_begin(_context):
    account = {"external_account_id": "local", "external_account_name": "Textbench", "public_metadata": {}}
    return {"type": "account", "account": account}


def tools_discover(_context):
    return {"tools": TOOLS}


def tool_invoke(context):
    arguments = context["arguments"]
    if context["tool_name"] == "measure_text":
        speed = context["configuration"]["public"].get("words_per_minute", 240)
        found = measuring.measure(arguments["text"], speed)
    elif context["tool_name"] == "compare_texts":
        found = measuring.compare(arguments["before"], arguments["after"])
    else:
        raise ProviderError("bad_request", "There is no such tool")
    text = json.dumps(found, ensure_ascii=False)
    return {"content": [{"type": "text", "text": text}], "structured_content": found, "is_error": False, "error": None}


OPERATIONS = {
    operation.__name__: operation
    for operation in (
        configuration_validate,
        authorization_identity,
        authorization_begin,
        tools_discover,
        tool_invoke,
    )
}


def answer(request):
    try:
        operation = OPERATIONS.get(request["operation"])
        if operation is None:
            raise ProviderError("bad_request", "This operation is not supported")
        return {"protocol_version": 1, "ok": True, "result": operation(request["context"])}
    except ProviderError as error:
        told = {"code": error.code, "message": error.message, "retryable": False}
        return {"protocol_version": 1, "ok": False, "error": told}


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout, ensure_ascii=False)
