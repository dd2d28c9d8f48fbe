package inbound

import (
	"net/http"

	"gatehouse.internal/domain/fault"
)

// StatusOf returns the HTTP status of a failure: that of its code, or 503 if the service
// refuses everybody.
func StatusOf(failure *fault.Error) int {
	if failure.Service {
		return http.StatusServiceUnavailable
	}
	return Status(failure.Code)
}

// Status returns the HTTP status of an error code (contract section 2); 500 for an
// unknown code.
func Status(code fault.Code) int {
	switch code {
	case fault.Validation:
		return http.StatusBadRequest
	case fault.Auth, fault.TokenExpired, fault.TokenInvalid:
		return http.StatusUnauthorized
	case fault.Denied, fault.FlowBlocked:
		return http.StatusForbidden
	case fault.NotFound, fault.Unknown:
		return http.StatusNotFound
	case fault.RateLimited:
		return http.StatusTooManyRequests
	case fault.Internal:
		return http.StatusInternalServerError
	default:
		return http.StatusInternalServerError
	}
}
