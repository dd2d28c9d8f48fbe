package paypal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// keyHeader holds the key by which a call is known again
// (https://developer.paypal.com/api/rest/reference/idempotency/).
const keyHeader = "Paypal-Request-Id"

// object is what is sent.
type object = map[string]any

// refusal is an answer that is an error (https://developer.paypal.com/api/rest/responses/).
type refusal struct {
	status        int
	name, message string
	issues        []string
}

// Error returns what PayPal says.
func (r *refusal) Error() string {
	return fmt.Sprintf("paypal answered %d: %s: %s %s", r.status, r.name, r.message, strings.Join(r.issues, ", "))
}

// Unwrap returns billing.ErrRefused for what PayPal will not do. What may be another the next
// time has no cause, nor has a key that is not valid, which is the operator's to mend.
func (r *refusal) Unwrap() error {
	switch r.status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity:
		return billing.ErrRefused
	}
	return nil
}

// missing reports whether PayPal has no such object.
func missing(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.status == http.StatusNotFound
}

// host is where PayPal is, by the mode.
func (p *PayPal) host(name string) string {
	if p.options.Mode == billing.Live {
		return name + ".paypal.com"
	}
	return name + ".sandbox.paypal.com"
}

func (p *PayPal) address(path string) string { return "https://" + p.host("api-m") + "/" + path }

// token is what calls are made by, for some hours.
type token struct {
	mu    sync.Mutex
	value string
	until time.Time
}

// early is how long before its end a token is no longer used.
const early = time.Minute

// bearer returns a token, which is asked for unless one is known: by one, while others wait.
func (p *PayPal) bearer(ctx context.Context) (string, error) {
	p.token.mu.Lock()
	defer p.token.mu.Unlock()
	now := p.options.Clock.Now()
	if p.token.value != "" && now.Before(p.token.until) {
		return p.token.value, nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.address("v1/oauth2/token"), strings.NewReader("grant_type=client_credentials"))
	if err != nil {
		return "", fmt.Errorf("make a request: %w", err)
	}
	id, secret, _ := strings.Cut(p.options.SecretKey.Reveal(), ":")
	request.SetBasicAuth(id, secret)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	// To ask twice has no effect but another token.
	request.Header.Set(keyHeader, payment.Once(now.String()))
	var got struct {
		Token   string `json:"access_token"`
		Seconds int64  `json:"expires_in"`
	}
	if err := payment.Exchange(p.http, request, &got, refused); err != nil {
		return "", err
	}
	p.token.value, p.token.until = got.Token, now.Add(time.Duration(got.Seconds)*time.Second-early)
	return got.Token, nil
}

// forget drops a token that PayPal no longer takes.
func (p *PayPal) forget(value string) {
	p.token.mu.Lock()
	defer p.token.mu.Unlock()
	if p.token.value == value {
		p.token.value = ""
	}
}

// get reads an object. fields narrow a list, or widen an object.
func (p *PayPal) get(ctx context.Context, path string, fields url.Values, into any) error {
	if len(fields) > 0 {
		path += "?" + fields.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address(path), nil)
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	return p.call(ctx, request, into)
}

// act is a call that makes or changes an object, once for a key. Without one it is not known
// again: what it is about has to be looked at first.
type act struct {
	path, key string
	body      object
}

func (p *PayPal) do(ctx context.Context, of act, into any) error {
	content, err := json.Marshal(of.body, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode a call to paypal: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.address(of.path), bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Prefer", "return=representation")
	if of.key != "" {
		request.Header.Set(keyHeader, payment.Once(of.key, of.path))
	}
	return p.call(ctx, request, into)
}

// call makes a call by a token.
func (p *PayPal) call(ctx context.Context, request *http.Request, into any) error {
	by, err := p.bearer(ctx)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+by)
	err = payment.Exchange(p.http, request, into, refused)
	if r, ok := errors.AsType[*refusal](err); ok && r.status == http.StatusUnauthorized {
		p.forget(by)
	}
	return err
}

func refused(answer *http.Response) error {
	var wrong struct {
		Name    string `json:"name"`
		Message string `json:"message"`
		Details []struct {
			Issue string `json:"issue"`
		} `json:"details"`
	}
	if err := json.UnmarshalRead(answer.Body, &wrong); err != nil {
		wrong.Message = "no error of the API"
	}
	r := &refusal{status: answer.StatusCode, name: wrong.Name, message: wrong.Message}
	for _, one := range wrong.Details {
		r.issues = append(r.issues, one.Issue)
	}
	return r
}
