// Package throttle names the counters of rate limits.
package throttle

import (
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
)

// Key returns the name under which a subject is counted for a command. It is a blind
// index, so that the counters hold no addresses of people.
func Key(blind outbound.Blinder, command string, by limit.Key, subject string) string {
	return blind.Index(label.RateLimit, command+"|"+string(by)+"|"+subject)
}

// FailureKey returns the name under which failures in a subject's name are counted, each
// address for itself.
func FailureKey(blind outbound.Blinder, command string, by limit.Key, subject, address string) string {
	return blind.Index(label.RateLimitFailures, command+"|"+string(by)+"|"+address+"|"+subject)
}
