package httpapi

import (
	"net/http"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// Errors of revocation requests.
var (
	errTokenType = fault.New(fault.Validation, "unsupported_token_type: send the jti of the token with the bearer token of a superadmin; clients revoke their own tokens at "+pathRevokeOwn)
	errNoID      = fault.New(fault.Validation, "invalid_request: jti is missing")
)

// revocation serves M2M.REVOKE for forms. Like the command, it accepts the jti of a
// token from a superadmin.
type revocation struct{}

func (revocation) request(sent form, to *inbound.Request) *fault.Error {
	switch {
	case sent["token"] != "":
		return errTokenType
	case sent["jti"] == "":
		return errNoID
	}
	to.Params = object(nil).text("jti", sent["jti"]).end()
	return nil
}

// result returns an empty body (RFC 7009 section 2.2).
func (revocation) result([]byte) ([]byte, error) { return nil, nil }

// refusal returns the status of the command's failure. An unknown token counts as
// revoked (RFC 7009 section 2.2).
func (revocation) refusal(failure *fault.Error, word string) (status int, said string, ok bool) {
	if word == "" {
		word = revocationWord(failure.Code)
	}
	return inbound.StatusOf(failure), word, failure.Code != fault.NotFound
}

func revocationWord(code fault.Code) string {
	switch code {
	case fault.Auth, fault.TokenExpired, fault.TokenInvalid:
		return "invalid_token"
	case fault.Denied:
		return "insufficient_scope"
	case fault.FlowBlocked:
		return "access_denied"
	default:
		return "invalid_request"
	}
}

func (revocation) challenges(sent http.Header, _ int, failure *fault.Error) []string {
	return challengesOf(sent, failure)
}

// ownRevocation is the revocation endpoint for clients (RFC 7009), with the errors of
// the token endpoint.
type ownRevocation struct{ grant }

func (ownRevocation) request(sent form, to *inbound.Request) *fault.Error {
	if sent["token"] == "" {
		return errNoToken
	}
	client, refused := clientOf(sent, to.Authorization)
	if refused != nil {
		return refused
	}
	to.Authorization = ""
	to.Params = object(nil).
		text("token", sent["token"]).
		text("client_id", client.id).
		text("client_secret", client.secret).
		text("client_assertion", sent["client_assertion"]).
		text("client_assertion_type", sent["client_assertion_type"]).
		end()
	return nil
}

// result returns an empty body (RFC 7009 section 2.2).
func (ownRevocation) result([]byte) ([]byte, error) { return nil, nil }
