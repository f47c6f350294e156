"""One JSON request on standard input, one JSON answer on standard output; nothing else is ever printed there.

This program only signs people in and keeps their tokens fresh: the tools are the remote MCP server's.
"""

import json
import sys

import oauth
from faults import ProviderError

OPERATIONS = {
    "configuration_validate": oauth.validate_configuration,
    "authorization_identity": oauth.identify,
    "authorization_begin": oauth.begin,
    "authorization_complete": oauth.complete,
    "credential_refresh": oauth.refresh,
    "credential_revoke": oauth.revoke,
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
