package instance

import (
	"fmt"
	"sync/atomic"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/test/harness"
)

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

var machines atomic.Uint32

// Machine registers an app under a slug that no other has.
func (r *Replica) Machine(by Person, scopes ...string) Machine {
	r.T.Helper()
	return r.Register(by, fmt.Sprintf("machine-%d", machines.Add(1)), append([]string{}, scopes...)...)
}

// Asks asks for a token by the secret.
func (m Machine) Asks(r *Replica, more P) *Reply {
	r.T.Helper()
	return r.Do(Call{Command: "M2M.TOKEN", Params: With(P{"client_id": m.Slug, "client_secret": m.Secret}, more)})
}

// Token is a fresh token.
func (m Machine) Token(r *Replica) string {
	r.T.Helper()
	return m.Asks(r, nil).Text("access_token")
}

// Asserts asks for a token by an assertion.
func (m Machine) Asserts(r *Replica, assertion string) *Reply {
	r.T.Helper()
	return r.Do(Call{Command: "M2M.TOKEN", Params: P{"client_id": m.Slug, "client_assertion": assertion, "client_assertion_type": assertionType}})
}

// Assertion is what a client signs to say who it is (RFC 7523 section 3).
func (m Machine) Assertion(by *harness.Holder, changes P) string {
	now := time.Now().Unix()
	return by.Sign(P{"alg": "ES256", "typ": "JWT"}, With(P{
		"iss": m.Slug, "sub": m.Slug, "aud": Issuer, "jti": fmt.Sprint("assertion", machines.Add(1)), "iat": now, "exp": now + 300,
	}, changes))
}

// Change calls a command of the family APP about the app.
func (r *Replica) Change(by Person, m Machine, command string, more P) *Reply {
	r.T.Helper()
	return r.As(by, command, With(P{"app_id": m.ID}, more)).OK()
}

// Holder is a client with a key of its own.
func (r *Replica) Holder() *harness.Holder {
	r.T.Helper()
	return harness.NewHolder(r.T, system.Clock{})
}

// Bearing calls a command with a bearer token.
func (r *Replica) Bearing(token, command string, params P) *Reply {
	r.T.Helper()
	return r.Do(Call{Command: command, Params: params, Token: token})
}

// Proving calls a command with a token that is bound to a key.
func (r *Replica) Proving(token, proof, command string) *Reply {
	r.T.Helper()
	return r.Sending(command, nil, "Authorization=DPoP "+token, "DPoP="+proof)
}

// Introspected is "active", or why a token is not.
func (r *Replica) Introspected(token string) string {
	r.T.Helper()
	answer := r.Do(Call{Command: "M2M.INTROSPECT", Params: P{"token": token}}).OK()
	if answer.Value("active") == true {
		return "active"
	}
	return answer.Text("error")
}

// Machine is an app that calls for itself.
type Machine struct{ ID, Slug, Secret string }

// Register makes an app that may use scopes.
func (r *Replica) Register(by Person, slug string, scopes ...string) Machine {
	r.T.Helper()
	made := r.As(by, "APP.REGISTER", P{"name": "Reports", "slug": slug, "scopes": scopes})
	secret := made.Text("api_key")
	r.Secrets.Add("an app secret", secret)
	return Machine{ID: made.Text("app.id"), Slug: slug, Secret: secret}
}
