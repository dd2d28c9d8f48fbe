package password

import (
	"strconv"
	"strings"
)

// Form returns the kind of a stored hash and its costs, with the lengths of salt and key in
// their place: hashes of one form take about the same time to compare. Rounds are cut to
// their first digit, since some makers draw them at random for each hash. What is no hash
// has no form.
func Form(hash string) string {
	kept := costs(hash)
	if kept == "" {
		return ""
	}
	rest := strings.Split(hash[len(kept):], "$")
	for i, part := range rest {
		plain := strings.TrimRight(part, "=")
		rest[i] = strconv.Itoa(len(plain)) + part[len(plain):]
	}
	return coarse(kept) + strings.Join(rest, "$")
}

// Sample returns a hash of a form, which no password is known to have.
func Sample(form string) string {
	kept := costs(form)
	rest := strings.Split(form[len(kept):], "$")
	for i, part := range rest {
		digits := strings.TrimRight(part, "=")
		length, err := strconv.ParseUint(digits, 10, 9)
		if err != nil {
			return ""
		}
		rest[i] = strings.Repeat("A", int(length)) + part[len(digits):] // #nosec G115 -- 9 bits
	}
	return kept + strings.Join(rest, "$")
}

// costs returns the part of a hash before the salt.
func costs(hash string) string {
	parts := strings.SplitAfter(hash, "$")
	if len(parts) < 3 || parts[0] != "$" {
		return ""
	}
	kind, kept := strings.TrimSuffix(parts[1], "$"), 2
	switch {
	case strings.HasPrefix(kind, "argon2"), kind == "wp", strings.HasPrefix(kind, "bcrypt-"):
		kept = 4
	case strings.HasPrefix(kind, "2"), strings.HasPrefix(kind, "pbkdf2"), kind == "scrypt", kind == "firescrypt", kind == "7", strings.HasPrefix(parts[2], "rounds="):
		kept = 3
	case kind == "P", kind == "H", kind == "S":
		// The first character is the cost.
		return strings.Join(parts[:2], "") + parts[2][:min(1, len(parts[2]))]
	}
	return strings.Join(parts[:min(kept, len(parts)-1)], "")
}

// coarse cuts the rounds of PBKDF2 and of SHA-crypt to their first digit.
func coarse(costs string) string {
	end := strings.TrimSuffix(costs, "$")
	at := strings.LastIndexAny(end, "$=") + 1
	if digits := end[at:]; len(digits) > 3 && strings.Trim(digits, "0123456789") == "" {
		return end[:at+1] + strings.Repeat("0", len(digits)-1) + "$"
	}
	return costs
}
