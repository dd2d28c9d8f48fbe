package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/domain/fault"
)

// SecretPrefix begins the form of a secret that libraries of Standard Webhooks take.
const SecretPrefix = "whsec_"

// The lengths of a secret of one's own, in characters.
const (
	MinSecret = 16
	MaxSecret = 256
)

// ErrSecret is returned for a secret that begins as one of Standard Webhooks and is none.
var ErrSecret = fault.Unfit("/secret", "must have valid base64 after whsec_")

// ParseSecret returns the key of a secret: the decoded bytes of a whsec_ one, else its bytes.
func ParseSecret(text string) ([]byte, error) {
	encoded, standard := strings.CutPrefix(text, SecretPrefix)
	if !standard {
		return []byte(text), nil
	}
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || len(key) == 0 || strings.ContainsAny(encoded, "\r\n") {
		return nil, ErrSecret
	}
	return key, nil
}

// FormatSecret returns the form of a key that libraries of Standard Webhooks take.
func FormatSecret(key []byte) string { return SecretPrefix + base64.StdEncoding.EncodeToString(key) }

// Message is a message to an endpoint.
type Message struct {
	ID   string
	Body []byte
}

// The headers of a message.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

// scheme begins each signature: version 1, by a secret that both sides know.
const scheme = "v1,"

// Sign returns the webhook-signature header of a message at a time: one signature for each
// secret that is live then.
func (s Snapshot) Sign(m Message, at time.Time) string {
	var signatures []string
	for _, one := range s.Live(at) {
		signatures = append(signatures, m.Signed(one.Key, at))
	}
	return strings.Join(signatures, " ")
}

// Signed returns the signature of the message at a time by one key.
func (m Message) Signed(key []byte, at time.Time) string {
	return scheme + base64.StdEncoding.EncodeToString(m.sum(key, at))
}

// By reports whether one of the signatures of a webhook-signature header is that of the
// message at a time by a key.
func (m Message) By(key []byte, header string, at time.Time) bool {
	want := m.sum(key, at)
	for one := range strings.FieldsSeq(header) {
		encoded, known := strings.CutPrefix(one, scheme)
		if got, err := base64.StdEncoding.DecodeString(encoded); known && err == nil && hmac.Equal(got, want) {
			return true
		}
	}
	return false
}

func (m Message) sum(key []byte, at time.Time) []byte {
	sum := hmac.New(sha256.New, key)
	sum.Write([]byte(m.ID + "." + strconv.FormatInt(at.Unix(), 10) + "."))
	sum.Write(m.Body)
	return sum.Sum(nil)
}
