package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// callTimeout is the maximum duration of a call; the service has a shorter limit.
	callTimeout = 90 * time.Second
	// answerLimit is the maximum size of a response, in bytes.
	answerLimit = 64 << 20
)

// callRequest is a call over HTTP.
type callRequest struct {
	base, token, key string
	body             []byte
	// rotates reports whether the command may answer new tokens of the session.
	rotates bool
}

// reply is the response to a call.
type reply struct {
	envelope jsontext.Value
	ok       bool
	// stale reports whether the command needs a more recent sign-in (RFC 9470).
	stale bool
}

// call posts a body and returns the response. A response without an envelope is an
// unreachableError. Redirects are not followed, since they would send the token to
// another address.
func (a *app) call(c callRequest) (reply, error) {
	target, err := endpoint(c.base)
	if err != nil {
		return reply{}, err
	}
	request, err := http.NewRequestWithContext(a.ctx, http.MethodPost, target, bytes.NewReader(c.body))
	if err != nil {
		return reply{}, usagef("invalid service URL: %v", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "gatehouse/"+a.program.Version)
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.key != "" {
		request.Header.Set("Idempotency-Key", c.key)
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	client := &http.Client{
		Timeout: callTimeout, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return reply{}, &unreachableError{cause: fmt.Errorf("call the service: %w", err)}
	}
	defer func() { _ = response.Body.Close() }()
	return readEnvelope(response)
}

// readEnvelope reads a response and checks that it is an envelope.
func readEnvelope(response *http.Response) (reply, error) {
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return reply{}, &unreachableError{cause: fmt.Errorf("read the response: %w", err)}
	}
	var envelope struct {
		OK      *bool          `json:"ok"`
		Command *string        `json:"command"`
		Data    jsontext.Value `json:"data"`
		Error   jsontext.Value `json:"error"`
	}
	err = jsonv2.Unmarshal(answer, &envelope)
	if err != nil || envelope.OK == nil || envelope.Command == nil || envelope.Data == nil || envelope.Error == nil {
		return reply{}, &unreachableError{cause: fmt.Errorf("the response (HTTP %d) is not from Gatehouse: check the service URL", response.StatusCode)}
	}
	stale := strings.Contains(response.Header.Get("WWW-Authenticate"), `error="insufficient_user_authentication"`)
	return reply{envelope: answer, ok: *envelope.OK, stale: stale}, nil
}

// endpoint returns the address of the command endpoint.
func endpoint(base string) (string, error) {
	target, err := url.Parse(base)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return "", usagef("the service URL must start with http:// or https:// and contain a host")
	}
	if target.User != nil || target.RawQuery != "" || target.Fragment != "" {
		return "", usagef("the service URL must not contain user info, query or fragment: set tokens in GATEHOUSE_TOKEN")
	}
	return strings.TrimRight(target.String(), "/") + "/api/v1/execute", nil
}
