package sandbox

import (
	"bytes"
	"context"
	"crypto/hmac"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/billing"
)

const (
	// hookPath is the path at which the service receives webhooks.
	hookPath = "/api/billing/webhooks/sandbox"
	// signatureHeader is the header t=<Unix seconds>,v1=<hex MAC of the time, a dot and the body>.
	signatureHeader = "Sandbox-Signature"
	// hookTime is the timeout of a webhook.
	hookTime = 5 * time.Second
)

// hook is the body of a webhook.
type hook struct {
	ID    string         `json:"id"`
	Type  string         `json:"type"`
	Facts []billing.Fact `json:"facts"`
}

func (s *Sandbox) sign(at time.Time, body []byte) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	return "t=" + seconds + ",v1=" + hex.EncodeToString(s.Key.Sum("sandbox hook", seconds+"."+string(body)))
}

// Hook returns the body of the webhook of an act, with the objects that have changed since a time, and its signature.
func (s *Sandbox) Hook(of *Sale, name string, since time.Time) (body []byte, signature string, err error) {
	message := hook{ID: fmt.Sprintf("%s_%d", of.ID, of.HookCount), Type: "sandbox." + name}
	for _, f := range of.Facts {
		if !f.At.Before(since) {
			message.Facts = append(message.Facts, f)
		}
	}
	if body, err = json.Marshal(message); err != nil {
		return nil, "", fmt.Errorf("encode a webhook: %w", err)
	}
	return body, s.sign(s.Clock.Now(), body), nil
}

// send sends a webhook to the service. It fails with ErrHookLost.
func (s *Sandbox) send(ctx context.Context, of *Sale, name string, since time.Time) error {
	body, signature, err := s.Hook(of, name, since)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Host+hookPath, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("create a webhook: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(signatureHeader, signature)
	answer, err := (&http.Client{Transport: s.Transport, Timeout: hookTime}).Do(request)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrHookLost, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: the response was %s", ErrHookLost, answer.Status)
	}
	return nil
}

// Read verifies a webhook, and returns its event. It fails with billing.ErrSignature.
func (s *Sandbox) Read(_ context.Context, header http.Header, body []byte, now time.Time) ([]billing.ProcessorEvent, error) {
	given := header.Get(signatureHeader)
	seconds, _, _ := strings.Cut(strings.TrimPrefix(given, "t="), ",")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	at := time.Unix(unix, 0)
	if err != nil || !hmac.Equal([]byte(given), []byte(s.sign(at, body))) || now.Sub(at).Abs() > billing.SignatureAge {
		return nil, billing.ErrSignature
	}
	var message hook
	if err := json.Unmarshal(body, &message); err != nil {
		return nil, billing.ErrSignature
	}
	return []billing.ProcessorEvent{{EventID: message.ID, Type: message.Type, Facts: message.Facts}}, nil
}
