"""Holds webhooks to the stock library of Standard Webhooks.

The one argument is a JSON list of messages as they came: headers and body, the secrets
that verify them (by) and secrets that do not (others).
"""

import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError


def refuses(secret, body, headers):
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return
    raise AssertionError(f"{secret} verifies {body}")


for message in json.loads(sys.argv[1]):
    body, headers = message["body"], message["headers"]
    for secret in message["by"]:
        assert Webhook(secret).verify(body, headers)["type"] == "role.created"
        refuses(secret, body.replace("apps:read", "apps:write"), headers)
        refuses(secret, body, {**headers, "Webhook-Id": "dlv_another"})
    for secret in message["others"] or []:
        refuses(secret, body, headers)
print("all of it holds")
