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

// hookPath is where hooks come.
const hookPath = "/api/billing/webhooks/" + Name

// askers is how many hooks are asked about at once: anybody may post some, and what they make us
// ask is not to be in the way of sales.
const askers = 8

// payments are identified by what this matches; nothing else is asked for.
var payments = regexp.MustCompile(`^tr_[0-9A-Za-z]{1,64}$`)

// Read returns what a hook tells, which is not signed: the sale that the payment in it belongs
// to, as it is now. What that is named by is its state, so that it is taken once whoever
// repeats the hook. It tells nothing of a payment that is not ours, and fails with
// billing.ErrSignature where no payment is named at all.
func (m *Mollie) Read(ctx context.Context, _ http.Header, body []byte, _ time.Time) ([]billing.Told, error) {
	form, err := url.ParseQuery(string(body))
	id := form.Get("id")
	if err != nil || !payments.MatchString(id) {
		return nil, billing.ErrSignature
	}
	select {
	case m.asking <- struct{}{}:
		defer func() { <-m.asking }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait to ask about a hook: %w", ctx.Err())
	}
	found, facts, err := m.fetch(ctx, id)
	if unknown, ok := errors.AsType[*refusal](err); ok && unknown.told.Status == http.StatusNotFound && found.ID == "" {
		return nil, nil
	}
	if err != nil || len(facts) == 0 {
		return nil, err
	}
	state, err := version(facts)
	return []billing.Told{{EventID: id + "." + state, Type: "payment." + found.Status, Facts: facts}}, err
}

// version returns the same for facts that are the same but for their time.
func version(facts []billing.Fact) (string, error) {
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
