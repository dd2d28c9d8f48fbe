package mfa

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
)

// RecoveryCodes is how many recovery codes an account gets (contract section 5).
const RecoveryCodes = 10

// Lengths of codes, in characters of 5 bits. A recovery code is valid for years, so its
// digest must not be searchable: it has 80 bits. A bypass code is told over the phone
// and lasts a day at most: it has 60.
const (
	recoveryLength = 16
	bypassLength   = 12
	group          = 4
)

// alphabet is Crockford's: nothing in it looks or sounds like something else.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// Source returns random bytes.
type Source interface{ Bytes(n int) []byte }

// newCode draws a code, in groups that are easy to read.
func newCode(random Source, length int) secret.Shown {
	var text strings.Builder
	for i, b := range random.Bytes(length) {
		if i > 0 && i%group == 0 {
			text.WriteByte('-')
		}
		text.WriteByte(alphabet[int(b)%len(alphabet)])
	}
	return secret.Shown(text.String())
}

// NewRecoveryCodes draws a set of recovery codes.
func NewRecoveryCodes(random Source) []secret.Shown {
	codes := make([]secret.Shown, RecoveryCodes)
	for i := range codes {
		codes[i] = newCode(random, recoveryLength)
	}
	return codes
}

// NewBypass draws a bypass code.
func NewBypass(random Source) secret.Shown { return newCode(random, bypassLength) }

// plain normalizes the input of a code.
func plain(code string) string {
	return strings.NewReplacer(" ", "", "-", "", "o", "0", "i", "1", "l", "1").Replace(strings.ToLower(code))
}

// Digits normalizes the input of a mailed code.
func Digits(code secret.String) string { return plain(code.Reveal()) }

// digest returns the stored form of a code, for one account and method, so that the
// code is valid for nothing else.
func digest(owner user.ID, method Method, code string) string {
	sum := sha256.Sum256([]byte(owner.String() + "/" + string(method) + "/" + plain(code)))
	return hex.EncodeToString(sum[:])
}

func (f *Factors) keep(fresh []secret.Shown) {
	f.s.Recovery = make([]string, len(fresh))
	for i, code := range fresh {
		f.s.Recovery[i] = digest(f.s.UserID, RecoveryCode, string(code))
	}
}

// Regenerate replaces all recovery codes. It fails with ErrNone without other factors.
func (f *Factors) Regenerate(fresh []secret.Shown) error {
	if !f.Enrolled() {
		return ErrNone
	}
	f.keep(fresh)
	f.Raise(Regenerated{UserID: f.s.UserID})
	return nil
}

// Allow sets a bypass code for one challenge. It replaces a previous one, and lifts the
// lock after wrong codes.
func (f *Factors) Allow(code secret.Shown, until time.Time) {
	f.s.Bypass = OneTime{Digest: digest(f.s.UserID, Bypass, string(code)), ExpiresAt: until}
	f.Unlock()
	f.Raise(BypassCreated{UserID: f.s.UserID, ExpiresAt: until})
}

// WithdrawBypass ends a bypass that was not used.
func (f *Factors) WithdrawBypass() { f.s.Bypass = OneTime{} }

// redeem consumes a recovery code, and reports whether it was valid. It compares all of
// them, so that timing reveals nothing.
func (f *Factors) redeem(code string) bool {
	given, found := digest(f.s.UserID, RecoveryCode, code), -1
	for i, kept := range f.s.Recovery {
		if equal(given, kept) {
			found = i
		}
	}
	if found >= 0 {
		f.s.Recovery = slices.Delete(slices.Clone(f.s.Recovery), found, found+1)
	}
	return found >= 0
}

// bypassed uses the bypass up, if it is that.
func (f *Factors) bypassed(code string, now time.Time) bool {
	right := equal(digest(f.s.UserID, Bypass, code), f.s.Bypass.Digest) && now.Before(f.s.Bypass.ExpiresAt)
	if right {
		f.s.Bypass = OneTime{}
	}
	return right
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// MailsAnHour is the maximum number of codes mailed to an account within an hour:
// somebody who knows the password must not flood the mailbox.
const MailsAnHour = 10

// Mail notes that a code is being mailed. It fails with RATE_LIMITED.
func (f *Factors) Mail(now time.Time) error {
	f.s.Mailed = slices.DeleteFunc(slices.Clone(f.s.Mailed), func(at time.Time) bool { return now.Sub(at) >= time.Hour })
	if len(f.s.Mailed) >= MailsAnHour {
		refusal := fault.New(fault.RateLimited, "too many codes were emailed: try again later, or use another method")
		refusal.RetryAfter = f.s.Mailed[0].Add(time.Hour).Sub(now)
		return refusal
	}
	f.s.Mailed = append(f.s.Mailed, now)
	f.Raise(CodeSent{UserID: f.s.UserID})
	return nil
}
