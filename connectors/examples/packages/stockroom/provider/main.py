"""One JSON request on standard input, one JSON answer on standard output; nothing else is ever printed there."""

import json
import sys

import account
import stock
from faults import ProviderError

OPERATIONS = {
    "configuration_validate": account.validate_configuration,
    "authorization_identity": account.identify,
    "authorization_begin": account.begin,
    "authorization_complete": account.complete,
    "tools_discover": stock.discover,
    "tool_invoke": stock.invoke,
}


def answer(request):
    try:
        operation = OPERATIONS.get(request["operation"])
        if operation is None:
            raise ProviderError("bad_request", "This operation is not supported")
        return {"protocol_version": 1, "ok": True, "result": operation(request["context"])}
    except ProviderError as error:
        told = {"code": error.code, "message": error.message, "retryable": error.retryable}
        return {"protocol_version": 1, "ok": False, "error": told}


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout, ensure_ascii=False)
