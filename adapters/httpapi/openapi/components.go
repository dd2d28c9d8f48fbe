package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// securitySchemes returns how callers authenticate.
func securitySchemes(issuer string) object {
	return object{
		"bearer": object{"type": "http", "scheme": "bearer", "description": "Access token of a session or of an app, or an API key (RFC 6750)."},
		"dpop": object{
			"type": "http", "scheme": "DPoP",
			"description": "Access token that is bound to a key, together with a proof in the DPoP header (RFC 9449).",
		},
		"client": object{"type": "http", "scheme": "basic", "description": "ID and secret of an OAuth client (RFC 6749, section 2.3.1). The form can contain them too."},
		"openId": object{"type": "openIdConnect", "openIdConnectUrl": issuer + "/.well-known/openid-configuration"},
	}
}

// security returns the alternatives that a command accepts.
func security(d inbound.Descriptor) []object {
	accepted := []object{}
	if d.Access == "public" {
		accepted = append(accepted, object{})
	}
	if len(d.Callers) == 0 {
		return accepted
	}
	accepted = append(accepted, object{"bearer": []string{}}, object{"dpop": []string{}})
	if slices.Contains(d.Callers, "delegated") {
		accepted = append(accepted, object{"openId": scopes(d)})
	}
	return accepted
}

// scopes returns the scopes that a token needs for a command.
func scopes(d inbound.Descriptor) []string {
	permission, needed := strings.CutPrefix(d.Access, "permission:")
	switch {
	case needed:
		return []string{permission}
	case d.Scope != "":
		return []string{d.Scope}
	default:
		return []string{}
	}
}

// parameters returns the shared request headers.
func parameters() object {
	header := func(name, description string, schema object) object {
		return object{"name": name, "in": "header", "description": description, "schema": schema}
	}
	return object{
		"IdempotencyKey": header("Idempotency-Key", "A repeated call with the same key and the same parameters has no second effect. It gets the response of the first call.",
			object{"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"}),
		"DryRun": header("Dry-Run", "Reports the events that the command would cause, without any effect. The only value is true.",
			object{"type": "string", "const": "true"}),
		"RequestID": header("X-Request-Id", "ID of the request, for logs. Defaults to a new one.",
			object{"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,128}$"}),
	}
}

// headers returns the shared response headers.
func headers() object {
	return object{
		"RetryAfter":         object{"description": "Seconds to wait before the next attempt.", "schema": object{"type": "integer", "minimum": 1}},
		"RequestID":          object{"description": "ID of the request.", "schema": object{"type": "string"}},
		"IdempotentReplayed": object{"description": "true if this is the stored response to an earlier call with the same Idempotency-Key.", "schema": object{"type": "string", "const": "true"}},
		"WWWAuthenticate":    object{"description": "Error of the credential, and the address of the metadata that tells clients where to get another (RFC 6750, RFC 9449, RFC 9728).", "schema": object{"type": "string"}},
	}
}

// schemas returns the shared schemas.
func schemas() object {
	text := func(description string) object { return object{"type": "string", "description": description} }
	list := func(of object) object { return object{"type": "array", "items": of} }
	shape := func(properties object, required ...string) object {
		return object{"type": "object", "properties": properties, "required": required}
	}
	problem := shape(object{
		"code":    object{"type": "string", "enum": fault.Codes(), "description": "Stable code."},
		"message": text("Error message."),
		"fields": list(shape(object{
			"path": text("JSON Pointer to the parameter (RFC 6901)."), "message": text("Error message."),
		}, "path", "message")),
		"flow": shape(object{
			"name": text("Name of the flow."), "node": text("Node that blocked the call."), "reason": text("Reason."),
		}, "name", "node", "reason"),
	}, "code", "message")
	kinds := object{"type": "array", "items": object{"type": "string"}, "description": "Kinds of events that the call would cause."}
	return object{
		"Error": problem,
		"DryRun": shape(object{
			"events": kinds,
			"counts": object{"type": "object", "additionalProperties": object{"type": "integer"}, "description": "Number of events of each kind."},
		}, "events", "counts"),
		"Failure": shape(object{
			"ok": object{"const": false}, "command": text("Name of the command as sent."), "data": object{"type": "null"}, "error": reference("schemas", "Error"),
		}, "ok", "command", "data", "error"),
	}
}

// refusal is a response that commands share.
type refusal struct {
	status int
	name   string
	codes  []fault.Code
	// always reports whether any command can answer it.
	always  bool
	headers []string
}

// refusals returns the failures by HTTP status.
func refusals() []refusal {
	return []refusal{
		{status: http.StatusBadRequest, name: "BadRequest", codes: []fault.Code{fault.Validation}, always: true},
		{status: http.StatusUnauthorized, name: "Unauthorized", codes: []fault.Code{fault.Auth, fault.TokenExpired, fault.TokenInvalid}, headers: []string{"WWWAuthenticate"}},
		{status: http.StatusForbidden, name: "Forbidden", codes: []fault.Code{fault.Denied, fault.FlowBlocked}},
		{status: http.StatusNotFound, name: "NotFound", codes: []fault.Code{fault.NotFound, fault.Unknown}},
		{status: http.StatusRequestEntityTooLarge, name: "ContentTooLarge", codes: []fault.Code{fault.Validation}, always: true},
		{status: http.StatusUnsupportedMediaType, name: "UnsupportedMediaType", codes: []fault.Code{fault.Validation}, always: true},
		{status: http.StatusTooManyRequests, name: "TooManyRequests", codes: []fault.Code{fault.RateLimited}, always: true, headers: []string{"RetryAfter"}},
		{status: http.StatusInternalServerError, name: "InternalServerError", codes: []fault.Code{fault.Internal}, always: true},
		{status: http.StatusServiceUnavailable, name: "ServiceUnavailable", codes: []fault.Code{fault.RateLimited}, always: true, headers: []string{"RetryAfter"}},
	}
}

// responses returns the shared responses.
func responses() object {
	shared := object{}
	for _, r := range refusals() {
		var codes []string
		for _, code := range r.codes {
			codes = append(codes, string(code))
		}
		sent := object{"X-Request-Id": reference("headers", "RequestID")}
		for _, name := range r.headers {
			sent[map[string]string{"RetryAfter": "Retry-After", "WWWAuthenticate": "WWW-Authenticate"}[name]] = reference("headers", name)
		}
		shared[r.name] = object{
			"description": http.StatusText(r.status) + ": " + strings.Join(codes, ", "), "headers": sent,
			"content": object{"application/json": object{"schema": reference("schemas", "Failure")}},
		}
	}
	return shared
}

// responsesOf returns the responses of a command.
func responsesOf(d inbound.Descriptor, result schema) object {
	ok := object{
		"description": "Success.",
		"headers": object{
			"X-Request-Id": reference("headers", "RequestID"), "Idempotent-Replayed": reference("headers", "IdempotentReplayed"),
		},
		"content": object{"application/json": object{"schema": object{
			"type": "object", "required": []string{"ok", "command", "data", "error"},
			"properties": object{"ok": object{"const": true}, "command": object{"const": d.Name}, "data": result, "error": object{"type": "null"}},
		}}},
	}
	all := object{strconv.Itoa(http.StatusOK): ok}
	for _, r := range refusals() {
		if r.always || slices.ContainsFunc(r.codes, func(c fault.Code) bool { return slices.Contains(d.Errors, c) }) {
			all[strconv.Itoa(r.status)] = reference("responses", r.name)
		}
	}
	return all
}
