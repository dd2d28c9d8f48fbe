package payment

import (
	"net/http"
	"strconv"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/webhook"
)

// CheckStandard verifies the signature of a webhook according to Standard Webhooks
// (https://www.standardwebhooks.com), and returns its identifier. The bytes of the secret are the key. It
// fails with billing.ErrSignature unless the signature is valid and its time differs from now by at most
// billing.SignatureAge.
func CheckStandard(by secret.String, header http.Header, body []byte, now time.Time) (id string, err error) {
	unix, err := strconv.ParseInt(header.Get(webhook.HeaderTimestamp), 10, 64)
	m := webhook.Message{ID: header.Get(webhook.HeaderID), Body: body}
	at := time.Unix(unix, 0)
	if err != nil || by.Empty() || m.ID == "" || now.Sub(at).Abs() > billing.SignatureAge ||
		!m.By([]byte(by.Reveal()), header.Get(webhook.HeaderSignature), at) {
		return "", billing.ErrSignature
	}
	return m.ID, nil
}

// SignStandard returns headers that CheckStandard accepts.
func SignStandard(by secret.String, id string, body []byte, at time.Time) http.Header {
	return http.Header{
		webhook.HeaderID: {id}, webhook.HeaderTimestamp: {strconv.FormatInt(at.Unix(), 10)},
		webhook.HeaderSignature: {webhook.Message{ID: id, Body: body}.Signed([]byte(by.Reveal()), at)},
	}
}
