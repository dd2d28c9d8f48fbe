package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/wait"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/inbound"
)

const (
	// listenWait is the duration of a long poll of the event feed, in seconds.
	listenWait = 25
	// forwardTimeout is the time limit of a receiver, equal to that of webhooks.
	forwardTimeout = 15 * time.Second
	// listenKey is the length of the signing secret, in bytes.
	listenKey = 32
)

// listenCommand forwards the events of a running service to a receiver.
type listenCommand struct {
	connection

	ForwardTo string   `required:"true" help:"Where messages are posted to, such as http://localhost:3000/hooks."`
	Events    []string `help:"The kinds to forward: names, resource.* or *, with commas between them; all by default."`
}

// feedEvent is an event of EVENT.LIST, and the body of a message.
type feedEvent struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Timestamp string         `json:"timestamp"`
	Data      jsontext.Value `json:"data"`
}

// feedQuery are the parameters of EVENT.LIST.
type feedQuery struct {
	Types  []string  `json:"types,omitempty"`
	From   time.Time `json:"from,omitzero"`
	After  string    `json:"after,omitempty"`
	Cursor string    `json:"cursor,omitempty"`
	Wait   int       `json:"wait_seconds"`
}

// listener forwards events, signed with a secret of its own.
type listener struct {
	app     *app
	request callRequest
	profile string
	query   feedQuery
	to      string
	signer  webhook.Snapshot
	client  *http.Client
}

// Run forwards events until it is interrupted.
func (c listenCommand) Run(a *app) error {
	to, err := url.Parse(c.ForwardTo)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return usagef("--forward-to must begin with http:// or https:// and name a host")
	}
	as, err := a.caller(c.connection, inbound.Descriptor{})
	if err != nil {
		return err
	}
	key := make([]byte, listenKey)
	_, _ = rand.Read(key) //nolint:forbidigo // the port of randomness belongs to the service; Read never fails
	l := &listener{
		app: a, request: callRequest{base: as.base, token: as.token}, profile: as.profile, to: c.ForwardTo,
		query:  feedQuery{Types: c.Events, From: a.Now().UTC(), Wait: listenWait},
		signer: webhook.Snapshot{Secrets: []webhook.Secret{{Key: key}}},
		client: &http.Client{
			Timeout: forwardTimeout, Transport: &http.Transport{DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	if err := a.printf("signing secret: %s\n", webhook.FormatSecret(key)); err != nil {
		return err
	}
	return a.until(l.run)
}

// run polls and forwards. Temporary errors are reported and retried.
func (l *listener) run(ctx context.Context) error {
	for {
		err := l.poll(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			continue
		}
		if !passes(err) {
			return err
		}
		_, _ = fmt.Fprintf(l.app.Err, "%v\n", err)
		if err := wait.For(ctx, lookAgain); err != nil {
			return err
		}
	}
}

// passes reports whether an error of a call is temporary.
func passes(err error) bool {
	if refused, is := errors.AsType[*refusal](err); is {
		return refused.Code == "RATE_LIMITED" || refused.Code == "INTERNAL_ERROR"
	}
	_, unreachable := errors.AsType[*unreachableError](err)
	return unreachable
}

// poll forwards a page of the feed.
func (l *listener) poll(ctx context.Context) error {
	params, err := jsonv2.Marshal(l.query)
	if err != nil {
		return fmt.Errorf("encode the parameters: %w", err)
	}
	l.request.body = callBody("EVENT.LIST", string(params))
	answer, err := l.app.callAs(&l.request, l.profile)
	if err != nil {
		return err
	}
	if !answer.ok {
		return refusalOf(answer.envelope)
	}
	var envelope struct {
		Data struct {
			Items []feedEvent `json:"items"`
			Next  string      `json:"next_cursor"`
		} `json:"data"`
	}
	if err := jsonv2.Unmarshal(answer.envelope, &envelope); err != nil {
		return &unreachableError{cause: fmt.Errorf("read the answer: %w", err)}
	}
	for _, one := range envelope.Data.Items {
		l.query.From, l.query.After = time.Time{}, one.ID
		if err := l.report(one, l.forward(ctx, one)); err != nil {
			return err
		}
	}
	l.query.Cursor = envelope.Data.Next
	return nil
}

// report prints the result of forwarding an event.
func (l *listener) report(one feedEvent, err error) error {
	said := "forwarded"
	if err != nil {
		said = err.Error()
	}
	return l.app.printf("%s %s %s\n", one.ID, one.Type, clean(said))
}

// forward posts a message (Standard Webhooks). It fails unless the response is 2xx.
func (l *listener) forward(ctx context.Context, one feedEvent) error {
	body, err := jsonv2.Marshal(one)
	if err != nil {
		return fmt.Errorf("encode the message: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.to, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make the message: %w", err)
	}
	now := l.app.Now()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Gatehouse-Webhooks/"+l.app.program.Version)
	request.Header.Set("Webhook-Id", one.ID)
	request.Header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	request.Header.Set("Webhook-Signature", l.signer.Sign(webhook.Message{ID: one.ID, Body: body}, now))
	response, err := l.client.Do(request)
	if err != nil {
		return fmt.Errorf("not forwarded: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("the receiver answered %s", response.Status)
	}
	return nil
}
