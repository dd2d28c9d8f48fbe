package payment

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/secret"
)

// SignatureFormat is a format of webhook signatures: a header with the Unix time and, in hexadecimal, the HMAC-SHA256
// over the time and the body.
type SignatureFormat struct {
	// Separator separates the fields of the header; Time and Mark are the names of the fields with
	// the time and the signature. While a secret is rotated, there is one signature for each secret.
	Separator, Time, Mark string
	// Joint separates the time from the body in the signed text.
	Joint string
}

// Check fails with billing.ErrSignature unless the header has a valid signature of the body by the secret,
// with a time that differs from now by at most billing.SignatureAge.
func (s SignatureFormat) Check(by secret.String, header string, body []byte, now time.Time) error {
	var seconds string
	var given []string
	for field := range strings.SplitSeq(header, s.Separator) {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		switch name {
		case s.Time:
			seconds = value
		case s.Mark:
			given = append(given, value)
		}
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || by.Empty() || now.Sub(time.Unix(unix, 0)).Abs() > billing.SignatureAge {
		return billing.ErrSignature
	}
	want := s.sum(by, seconds, body)
	for _, one := range given {
		if got, err := hex.DecodeString(one); err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return billing.ErrSignature
}

// Sign returns a header that Check accepts.
func (s SignatureFormat) Sign(by secret.String, body []byte, at time.Time) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	return s.Time + "=" + seconds + s.Separator + s.Mark + "=" + hex.EncodeToString(s.sum(by, seconds, body))
}

func (s SignatureFormat) sum(by secret.String, seconds string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(by.Reveal()))
	mac.Write([]byte(seconds + s.Joint))
	mac.Write(body)
	return mac.Sum(nil)
}
