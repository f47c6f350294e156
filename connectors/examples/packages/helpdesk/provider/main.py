"""One JSON request on standard input, one JSON answer on standard output; nothing else is ever printed there."""

import json
import sys

import oauth
import tickets
from faults import ProviderError

OPERATIONS = {
    "configuration_validate": oauth.validate_configuration,
    "authorization_identity": oauth.identify,
    "authorization_begin": oauth.begin,
    "authorization_complete": oauth.complete,
    "credential_refresh": oauth.refresh,
    "credential_revoke": oauth.revoke,
    "tools_discover": tickets.discover,
    "tool_invoke": tickets.invoke,
    "launch_url": tickets.launch_url,
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
