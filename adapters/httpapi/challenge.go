package httpapi

import "gatehouse.internal/domain/fault"

// bearerError is the error part of a challenge (RFC 6750 section 3): a request
// that carried no credential is told none.
func bearerError(code fault.Code, sent bool) string {
	switch code {
	case fault.TokenExpired:
		return `, error="invalid_token", error_description="the access token has expired"`
	case fault.TokenInvalid:
		return `, error="invalid_token", error_description="the access token is not valid"`
	case fault.Auth:
		if sent {
			return `, error="invalid_token", error_description="the credential is not accepted"`
		}
		return ""
	default:
		return ""
	}
}
