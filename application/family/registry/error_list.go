package registry

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// Advice on calling again.
const (
	never        = "never"
	afterLogin   = "after_login"
	afterRefresh = "after_refresh"
	afterWait    = "after_wait"
	withBackoff  = "with_backoff"
)

// ErrorListResult is the result of REGISTRY.ERROR_LIST.
type ErrorListResult struct {
	Items []ErrorCode `json:"items" doc:"Error codes, in the order of the specification."`
}

// ErrorCode is an error code in results.
type ErrorCode struct {
	Code       fault.Code `json:"code" doc:"Error code. Use it to decide how to handle an error."`
	HTTPStatus int        `json:"http_status" doc:"HTTP status of the response."`
	Meaning    string     `json:"meaning" doc:"When the code is returned."`
	Retry      string     `json:"retry" doc:"Whether the same call can succeed later. never: change the call. after_login: sign in again first. after_refresh: call AUTH.REFRESH first. after_wait: wait for the number of seconds in the Retry-After header. with_backoff: wait a little longer each time." jsonschema:"enum=never,enum=after_login,enum=after_refresh,enum=after_wait,enum=with_backoff"`
}

func (s *Service) errorList() command.Definition {
	return command.Define(command.Spec[command.None, ErrorListResult]{
		Name:        "REGISTRY.ERROR_LIST",
		Summary:     "List all error codes.",
		Description: "Returns each code with its HTTP status, its meaning and whether to retry the call.",
		Access:      access.Public(),
		Effect:      command.Reads,
		Handle: func(context.Context, command.Call, command.None) (ErrorListResult, error) {
			listed := ErrorListResult{}
			for _, code := range fault.Codes() {
				meaning, retry := advice(code)
				listed.Items = append(listed.Items, ErrorCode{
					Code: code, HTTPStatus: inbound.Status(code), Meaning: meaning, Retry: retry,
				})
			}
			return listed, nil
		},
	})
}

func advice(code fault.Code) (meaning, retry string) {
	switch code {
	case fault.Auth:
		return "The credential is missing or wrong, the session has ended, the account is locked, or a second factor is required.", afterLogin
	case fault.TokenExpired:
		return "The access token has expired.", afterRefresh
	case fault.TokenInvalid:
		return "The token is malformed, has the wrong signature, issuer, audience or type, or its signing key was retired.", afterLogin
	case fault.Denied:
		return "The caller is authenticated but lacks the permission, role or scope.", never
	case fault.NotFound:
		return "The object does not exist, or is not visible to the caller. The error does not distinguish the two.", never
	case fault.Validation:
		return "The request is malformed, does not match the schema, or conflicts with stored data. error.fields says where. " +
			"The HTTP status is 413 if the body is too large, 415 for a wrong content type, and 405 for a wrong method.", never
	case fault.RateLimited:
		return "Too many requests. If the service is busy or in maintenance, or a command exceeded its time limit, the HTTP status is 503.", afterWait
	case fault.FlowBlocked:
		return "A flow denied the request. error.flow names the flow, the node and the reason.", never
	case fault.Unknown:
		return "No command has this name. Names are case-sensitive.", never
	case fault.Internal:
		return "The service failed. The message contains the request ID.", withBackoff
	}
	return "", never
}
