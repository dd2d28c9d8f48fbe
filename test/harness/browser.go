package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
)

// Browser follows links as a person's browser does, with cookies of its own: to the
// paths of the service, and to servers on the loopback interface.
type Browser struct {
	// Accept is what the browser asks for; empty: it does not say.
	Accept string
	t      testing.TB
	client *http.Client
}

// Browser opens a browser that nobody used before.
func (h *Service) Browser() *Browser {
	h.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		h.t.Fatalf("make a jar for cookies: %v", err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	return &Browser{t: h.t, client: &http.Client{
		Jar: jar,
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if !strings.HasPrefix(r.URL.String(), h.Config.ServiceHost+"/") {
				return transport.RoundTrip(r)
			}
			sent := httptest.NewRequestWithContext(r.Context(), r.Method, r.URL.RequestURI(), r.Body)
			sent.Header, sent.Host = r.Header, r.URL.Host
			sent.RemoteAddr = fmt.Sprintf("%s:4000", (&Actor{}).ip())
			answer := httptest.NewRecorder()
			h.Handler.ServeHTTP(answer, sent)
			result := answer.Result()
			result.Request = r
			return result, nil
		}),
		CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			if strings.HasPrefix(r.URL.String(), h.Config.ServiceHost+"/") || r.URL.Hostname() == "127.0.0.1" {
				return nil
			}
			return http.ErrUseLastResponse
		},
	}}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Arrival is where a link led.
type Arrival struct {
	Status int
	// URL is the address, also when it is one that the browser does not open: that of
	// somebody else's page.
	URL    *url.URL
	Header http.Header
	Body   []byte
	t      testing.TB
}

// Open follows a link until it leads to no other, or away.
func (b *Browser) Open(link string) *Arrival {
	b.t.Helper()
	return b.open(link, b.client)
}

// Step follows a link once.
func (b *Browser) Step(link string) *Arrival {
	b.t.Helper()
	once := *b.client
	once.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b.open(link, &once)
}

func (b *Browser) open(link string, client *http.Client) *Arrival {
	b.t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, link, nil)
	if err != nil {
		b.t.Fatalf("open %s: %v", link, err)
	}
	if b.Accept != "" {
		request.Header.Set("Accept", b.Accept)
	}
	answer, err := client.Do(request)
	if err != nil {
		b.t.Fatalf("open %s: %v", link, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatalf("read %s: %v", link, err)
	}
	at := &Arrival{Status: answer.StatusCode, URL: answer.Request.URL, Header: answer.Header, Body: body, t: b.t}
	if to, err := answer.Location(); err == nil {
		at.URL = to
	}
	return at
}

// Get returns one parameter of the address.
func (a *Arrival) Get(name string) string { return a.URL.Query().Get(name) }

// Reply reads the envelope that the service answered.
func (a *Arrival) Reply() *Reply {
	a.t.Helper()
	var envelope struct {
		Command string
		Data    P
		Error   *fault.Error
	}
	if err := json.Unmarshal(a.Body, &envelope); err != nil {
		a.t.Fatalf("%s answered %d and no envelope: %.200s", a.URL.Path, a.Status, a.Body)
	}
	return &Reply{Data: envelope.Data, Failure: envelope.Error, t: a.t, command: envelope.Command}
}
