// Package password holds the rules that a new password must fulfill (contract
// section 4; NIST SP 800-63B section 3.1.1: length and commonness, no composition rules).
package password

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
)

// MaxLength is the most characters of a password.
const MaxLength = 256

// Normal returns the password in NFC, so that one typed on another keyboard or
// system is the same (RFC 8265 section 4.2). Every password is normalized before it is
// hashed or compared.
func Normal(plain secret.String) secret.String {
	return secret.New(norm.NFC.String(plain.Reveal()))
}

// Judgment is the result of a strength estimator.
type Judgment struct {
	// Score runs from 0 to 4.
	Score int
	// Common reports whether the password is on a list of common ones.
	Common bool
}

// Owner is the owner of a password, which must not be their address or name.
type Owner struct {
	Email string
	Name  string
}

// Hints are words that make a poor password for this owner.
func (o Owner) Hints() []string {
	local, _, _ := strings.Cut(o.Email, "@")
	return []string{o.Email, local, o.Name}
}

// Complaints lists why a normalized password is refused; none means it is fine.
func Complaints(plain secret.String, owner Owner, judged Judgment, rules policy.Password) []string {
	var complaints []string
	length := utf8.RuneCountInString(plain.Reveal())
	if length < rules.MinLength {
		complaints = append(complaints, "too short")
	}
	if length > MaxLength {
		complaints = append(complaints, "too long")
	}
	if owner.is(plain.Reveal()) {
		complaints = append(complaints, "your own email address or name")
	}
	if judged.Common {
		complaints = append(complaints, "among the most common passwords")
	}
	if judged.Score < rules.MinScore {
		complaints = append(complaints, "too easy to guess")
	}
	return complaints
}

func (o Owner) is(plain string) bool {
	for _, hint := range o.Hints() {
		if hint != "" && strings.EqualFold(strings.TrimSpace(plain), hint) {
			return true
		}
	}
	return false
}
