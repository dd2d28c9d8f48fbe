// Package fault defines the error type of the service and its ten stable codes
// (specification section 7). Sentinel errors are defined beside the rules that return
// them; every other error is an internal one, whose cause is logged and never shown.
package fault

import (
	"errors"
	"time"
)

// Code is one of the ten error codes a client may branch on.
type Code string

// The ten codes of specification section 7.
const (
	Auth         Code = "AUTH_ERROR"
	TokenExpired Code = "TOKEN_EXPIRED"
	TokenInvalid Code = "TOKEN_INVALID"
	Denied       Code = "PERMISSION_DENIED"
	NotFound     Code = "NOT_FOUND"
	Validation   Code = "VALIDATION_ERROR"
	RateLimited  Code = "RATE_LIMITED"
	FlowBlocked  Code = "FLOW_BLOCKED"
	Unknown      Code = "UNKNOWN_COMMAND"
	Internal     Code = "INTERNAL_ERROR"
)

// Codes lists all codes in the order of the specification.
func Codes() []Code {
	return []Code{
		Auth, TokenExpired, TokenInvalid, Denied, NotFound,
		Validation, RateLimited, FlowBlocked, Unknown, Internal,
	}
}

// Field is one complaint about a parameter.
type Field struct {
	// Path is a JSON Pointer (RFC 6901) into the parameters; "" is the whole.
	Path string `json:"path"`
	// Message describes the problem and never contains the value.
	Message string `json:"message"`
}

// Flow names the flow, the node and the reason of a FLOW_BLOCKED.
type Flow struct {
	Name   string `json:"name"`
	Node   string `json:"node"`
	Reason string `json:"reason"`
}

// Error is a failure that a client may see.
type Error struct {
	Code    Code
	Message string
	Fields  []Field
	Flow    *Flow
	// RetryAfter is how long until the call would pass; only with RateLimited.
	RetryAfter time.Duration
	// Service reports whether the service refuses everybody for a while, rather than this caller;
	// only with RateLimited. HTTP answers it by 503.
	Service bool

	cause error
	// outside is set where a client reads the message of an internal error.
	outside bool
}

// New makes an error of a code with a message that a client may read.
func New(code Code, message string) *Error {
	return &Error{Code: code, Message: message}
}

// Outside returns an internal error with a public message (contract section 2): an
// external system does not respond. The message is constant; details belong in the
// cause.
func Outside(sentence string) *Error {
	return &Error{Code: Internal, Message: sentence, outside: true}
}

// Public reports whether a client reads the message.
func (e *Error) Public() bool { return e.Code != Internal || e.outside }

// Unavailable returns the refusal of calls that the service does not answer for a while,
// whoever makes them.
func Unavailable(message string, retryAfter time.Duration) *Error {
	return &Error{Code: RateLimited, Message: message, RetryAfter: retryAfter, Service: true}
}

// Invalid returns a validation error of a parameter, given as a JSON Pointer, with a
// complete sentence as message; see Unfit for a message that continues the name.
func Invalid(path, message string) *Error {
	return &Error{Code: Validation, Message: message, Fields: []Field{{Path: path, Message: message}}}
}

// Error returns the code and message, without the cause, which may be confidential.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap returns the cause to errors.Is, errors.As and the log.
func (e *Error) Unwrap() error { return e.cause }

// Is makes copies that carry a cause or other fields equal to their sentinel.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code && other.Message == e.Message
}

// Because returns a copy that carries the cause for the log.
func (e *Error) Because(cause error) *Error {
	copied := *e
	copied.cause = cause
	return &copied
}

// From returns the fault in an error. Any other error becomes an internal one with a
// generic message and the error as its cause.
func From(err error) *Error {
	if found, ok := errors.AsType[*Error](err); ok {
		return found
	}
	return New(Internal, "internal error").Because(err)
}
