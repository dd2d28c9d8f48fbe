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

// keyHeader is the header of idempotency keys
// (https://developer.paypal.com/api/rest/reference/idempotency/).
const keyHeader = "Paypal-Request-Id"

// object is the body of a request, or a part of it.
type object = map[string]any

// refusal is an error of the API (https://developer.paypal.com/api/rest/responses/).
type refusal struct {
	status        int
	name, message string
	issues        []string
}

// Error implements error.
func (r *refusal) Error() string {
	return fmt.Sprintf("paypal responded with HTTP status %d: %s: %s %s", r.status, r.name, r.message, strings.Join(r.issues, ", "))
}

// Unwrap returns billing.ErrRefused for a call that PayPal refuses for good. It returns nil for errors that may be
// temporary, and for an invalid key, which the operator has to correct.
func (r *refusal) Unwrap() error {
	switch r.status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity:
		return billing.ErrRefused
	}
	return nil
}

// missing reports whether an error says that PayPal has no such object.
func missing(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.status == http.StatusNotFound
}

// host returns a host of PayPal in the configured mode.
func (p *PayPal) host(name string) string {
	if p.options.Mode == billing.Live {
		return name + ".paypal.com"
	}
	return name + ".sandbox.paypal.com"
}

func (p *PayPal) address(path string) string { return "https://" + p.host("api-m") + "/" + path }

// token is the access token of calls, which is valid for some hours.
type token struct {
	mu    sync.Mutex
	value string
	until time.Time
}

// tokenMargin is how long before its expiry a token is no longer used.
const tokenMargin = time.Minute

// bearer returns a token, and requests one if none is valid. Concurrent calls wait for one request.
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
	// A retry has no effect but another token.
	request.Header.Set(keyHeader, payment.Once(now.String()))
	var got struct {
		Token   string `json:"access_token"`
		Seconds int64  `json:"expires_in"`
	}
	if err := payment.Exchange(p.http, request, &got, refused); err != nil {
		return "", err
	}
	p.token.value, p.token.until = got.Token, now.Add(time.Duration(got.Seconds)*time.Second-tokenMargin)
	return got.Token, nil
}

// forget drops a token that PayPal does not accept.
func (p *PayPal) forget(value string) {
	p.token.mu.Lock()
	defer p.token.mu.Unlock()
	if p.token.value == value {
		p.token.value = ""
	}
}

// get reads an object or a list; fields are the parameters of the query.
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

// operation is a call that creates or changes an object, once for an idempotency key. Without a key the caller has to
// check first whether it was made already.
type operation struct {
	path, key string
	body      object
}

func (p *PayPal) do(ctx context.Context, of operation, into any) error {
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

// call sends a request with a token.
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
		wrong.Message = "not an API error"
	}
	r := &refusal{status: answer.StatusCode, name: wrong.Name, message: wrong.Message}
	for _, one := range wrong.Details {
		r.issues = append(r.issues, one.Issue)
	}
	return r
}
