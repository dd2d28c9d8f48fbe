package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/inbound"
)

const (
	// forwardTimeout is the time limit of a receiver, equal to that of webhooks.
	forwardTimeout = 15 * time.Second
	// listenKey is the length of the signing secret, in bytes.
	listenKey = 32
)

// listenCommand forwards the events of a running service to a receiver.
type listenCommand struct {
	connection

	ForwardTo string   `required:"true" help:"URL to forward events to, such as http://localhost:3000/hooks."`
	Events    []string `help:"Event types to forward: names, resource.* or *, separated by commas. Defaults to all."`
}

// message is the body of a forwarded event.
type message struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Timestamp string         `json:"timestamp"`
	Data      jsontext.Value `json:"data"`
}

// listener forwards events, signed with a secret of its own.
type listener struct {
	app    *app
	to     string
	signer webhook.Snapshot
	client *http.Client
}

// Run forwards events until it is interrupted.
func (c listenCommand) Run(a *app) error {
	to, err := url.Parse(c.ForwardTo)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return usagef("--forward-to must start with http:// or https:// and contain a host")
	}
	as, err := a.caller(c.connection, inbound.Descriptor{})
	if err != nil {
		return err
	}
	key := make([]byte, listenKey)
	_, _ = rand.Read(key) //nolint:forbidigo // the port of randomness belongs to the service; Read never fails
	l := &listener{
		app: a, to: c.ForwardTo,
		signer: webhook.Snapshot{Secrets: []webhook.Secret{{Key: key}}},
		client: &http.Client{
			Timeout: forwardTimeout, Transport: &http.Transport{DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	if err := a.printf("signing secret: %s\n", webhook.FormatSecret(key)); err != nil {
		return err
	}
	events := feed{
		app: a, request: callRequest{base: as.base, token: as.token}, profile: as.profile,
		query: feedQuery{Types: c.Events, From: a.Now().UTC(), Wait: feedWait},
	}
	return a.until(func(ctx context.Context) error {
		return events.follow(ctx, func(one feedEvent) error { return l.report(one, l.forward(ctx, one)) })
	})
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
	body, err := jsonv2.Marshal(message{ID: one.ID, Type: one.Type, Timestamp: one.Timestamp, Data: one.Data})
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
		return fmt.Errorf("the receiver responded with %s", response.Status)
	}
	return nil
}
