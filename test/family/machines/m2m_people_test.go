package machines_test

import (
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"

	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/test/harness"
)

// P keeps parameters short.
type P = harness.P

// with joins parameters; a nil takes one away.
func with(params P, changes P) P {
	joined := P{}
	for _, some := range []P{params, changes} {
		for name, value := range some {
			if joined[name] = value; value == nil {
				delete(joined, name)
			}
		}
	}
	return joined
}

// m2mMachine is an app with its credentials.
type m2mMachine struct {
	id, slug, secret string
	owner            *harness.Actor
	h                *harness.Service
}

// m2mRegister registers an app of an owner's workspace.
func m2mRegister(h *harness.Service, owner *harness.Actor, slug string, more P) *m2mMachine {
	made := owner.Do("APP.REGISTER", with(P{"name": "Worker " + slug, "slug": slug}, more)).OK()
	m := &m2mMachine{id: made.String("app.id"), slug: slug, owner: owner, h: h}
	if made.Has("api_key") {
		m.secret = made.String("api_key")
	}
	return m
}

// change changes the app.
func (m *m2mMachine) change(command string, params P) *harness.Reply {
	return m.owner.Do(command, with(P{"app_id": m.id}, params)).OK()
}

// ask asks for a token by the secret.
func (m *m2mMachine) ask(params P) *harness.Reply {
	return m.h.Anonymous().Do("M2M.TOKEN", with(P{"client_id": m.slug, "client_secret": m.secret}, params))
}

// token gets a token.
func (m *m2mMachine) token(params P) *harness.Reply { return m.ask(params).OK() }

// actor calls with a new token.
func (m *m2mMachine) actor(params P) *harness.Actor {
	return m.h.With(m.token(params).String("access_token"))
}

// introspect looks at a token.
func introspect(h *harness.Service, token string) *harness.Reply {
	return h.Anonymous().Do("M2M.INTROSPECT", P{"token": token}).OK()
}

// wantInactive fails the test unless a token is not active, for this reason, and
// nothing more is told of it.
func wantInactive(t *testing.T, h *harness.Service, token, reason string) {
	t.Helper()
	got := introspect(h, token)
	if got.Bool("active") || got.String("error") != reason || len(got.Data) != 2 {
		t.Errorf("introspection = %v, want %s and no more", got.Data, reason)
	}
}

// part reads the header (0) or the claims (1) of a token.
func part(t *testing.T, token string, which int) P {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[which])
	if err != nil {
		t.Fatal(err)
	}
	var content P
	if err := json.Unmarshal(raw, &content); err != nil {
		t.Fatal(err)
	}
	return content
}

// direct executes a command through the token endpoint, with a proof and an
// Authorization header.
func direct(t *testing.T, h *harness.Service, command string, params P, proof, authorization string) inbound.Reply {
	t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return h.Engine.Execute(t.Context(), inbound.Request{
		Command: command, Params: raw, DPoP: proof, Authorization: authorization, Method: "POST", Path: "/api/m2m/token",
		IP: netip.MustParseAddr("192.0.2.1"), RequestID: "direct",
	})
}

const endpoint = harness.Issuer + "/api/m2m/token"

// issued counts the tokens that were issued.
func issued(h *harness.Service) int { return len(h.Events(m2m.KindIssued)) }
