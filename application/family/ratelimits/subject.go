package ratelimits

import (
	"net/netip"
	"slices"
	"strings"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// counted returns a subject as a limit by this key counts it, or "" when it is of
// another form.
func counted(by limit.Key, subject string) string {
	switch by {
	case limit.IP:
		if address, err := netip.ParseAddr(subject); err == nil {
			return limit.Subject(address)
		}
	case limit.Token:
		if of, err := session.ParseID(subject); err == nil {
			return of.String()
		}
	case limit.Email:
		if address, err := email.Parse(subject); err == nil {
			return address.Folded()
		}
	case limit.User:
		if of, err := user.ParseID(subject); err == nil {
			return of.String()
		}
	case limit.All:
		if subject == string(limit.All) {
			return subject
		}
	}
	return ""
}

// errSubject is returned for a subject that none of these limits counts.
func errSubject(rules []limit.Spec) error {
	var wanted []string
	for _, form := range []struct {
		by   limit.Key
		text string
	}{
		{limit.IP, "an IP address"},
		{limit.Token, "a session ID"},
		{limit.Email, "an email address"},
		{limit.User, "a user ID"},
		{limit.All, "the word all"},
	} {
		if slices.ContainsFunc(rules, func(rule limit.Spec) bool { return rule.By == form.by }) {
			wanted = append(wanted, form.text)
		}
	}
	if wanted == nil {
		return fault.Invalid("/command", "this command has no rate limit of its own")
	}
	return fault.Unfit("/subject", "must be "+strings.Join(wanted, " or "))
}
