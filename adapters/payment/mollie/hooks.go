package mollie

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/billing"
)

// hookPath is the path at which webhooks are received.
const hookPath = "/api/billing/webhooks/" + Name

// maxLookups is how many webhooks are looked up at Mollie at once. Webhooks are not signed, so that anybody can
// send them; the limit keeps their look-ups from delaying sales.
const maxLookups = 8

// paymentID matches the identifiers of payments. Nothing else is looked up.
var paymentID = regexp.MustCompile(`^tr_[0-9A-Za-z]{1,64}$`)

// Read fetches the sale to which the payment of a webhook belongs. The webhook is not signed; the identifier of
// the returned event includes a digest of the sale, so that a repeated webhook is applied once. Read returns
// nothing for a payment that is not ours, and fails with billing.ErrSignature if the webhook names no payment.
func (m *Mollie) Read(ctx context.Context, _ http.Header, body []byte, _ time.Time) ([]billing.ProcessorEvent, error) {
	form, err := url.ParseQuery(string(body))
	id := form.Get("id")
	if err != nil || !paymentID.MatchString(id) {
		return nil, billing.ErrSignature
	}
	select {
	case m.lookups <- struct{}{}:
		defer func() { <-m.lookups }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait to look up a webhook: %w", ctx.Err())
	}
	found, facts, err := m.fetch(ctx, id)
	if unknown, ok := errors.AsType[*refusal](err); ok && unknown.cause.Status == http.StatusNotFound && found.ID == "" {
		return nil, nil
	}
	if err != nil || len(facts) == 0 {
		return nil, err
	}
	state, err := digest(facts)
	return []billing.ProcessorEvent{{EventID: id + "." + state, Type: "payment." + found.Status, Facts: facts}}, err
}

// digest returns a digest of facts without their times.
func digest(facts []billing.Fact) (string, error) {
	timeless := slices.Clone(facts)
	for i := range timeless {
		timeless[i].At = time.Time{}
	}
	written, err := json.Marshal(timeless, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("encode the state of a sale: %w", err)
	}
	sum := sha256.Sum256(written)
	return hex.EncodeToString(sum[:16]), nil
}
