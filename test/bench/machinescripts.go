package main

import (
	"bytes"
	"errors"
	"time"
)

// introspectPath is the direct route of M2M.INTROSPECT.
const introspectPath = "/api/m2m/introspect"

// tokening has all apps ask for tokens.
func tokening(c *contest) func(int) script {
	requests := make([][]byte, len(c.i.apps))
	for k := range requests {
		requests[k] = post(nil, "", c.i.tokenBody(k))
	}
	return func(connection int) script { return &repeat{requests: requests, want: 200, at: 31 * connection} }
}

// inspecting asks about live tokens from all over the store.
type inspecting struct{ repeat }

var errInactive = errors.New("a live token is not active")

func (s *inspecting) heard(status int, body []byte) error {
	if err := expect(200, status, body); err != nil {
		return err
	}
	if !bytes.Contains(body, []byte(`"active":true`)) {
		return errors.Join(errInactive, errors.New(string(body)))
	}
	return nil
}

func introspecting(c *contest) func(int) script {
	requests := make([][]byte, len(c.i.tokens))
	for k, token := range c.i.tokens {
		requests[k] = send(nil, introspectPath, `{"token":"`+token+`"}`)
	}
	return func(connection int) script { return &inspecting{repeat{requests: requests, at: 31 * connection}} }
}

// keyed has users ask for their profiles by their API keys.
func keyed(c *contest) func(int) script {
	return func(connection int) script {
		s := &repeat{want: 200}
		for _, key := range share(c.i.keys, connection, c.connections) {
			s.requests = append(s.requests, post(nil, key, `{"command":"USER.ME"}`))
		}
		return s
	}
}

// proving calls with a token that is bound to a key and a fresh proof each time.
type proving struct {
	holder *holder
	// proofs were signed at a moment, and hold for a minute.
	proofs  []string
	signed  time.Time
	request []byte
}

const (
	// proofsPerSecond is how many proofs are signed before a measurement, for each
	// second that it takes: the client's signing is not to take from what is
	// measured. When they run out, the client signs as it goes.
	proofsPerSecond = 8000
	// proofsGood is how long after signing a proof is sent.
	proofsGood = 50 * time.Second
)

// provingAll signs when the connection's script is made.
func provingAll(c *contest) func(int) script {
	length := min(c.warmup()+c.window(), proofsGood)
	each := int(length.Seconds()*proofsPerSecond)/c.connections + 1
	return func(connection int) script {
		s := &proving{holder: c.i.holders[connection], signed: time.Now()}
		s.proofs = make([]string, each)
		for k := range s.proofs {
			s.proofs[k] = s.holder.proof()
		}
		return s
	}
}

func (p *proving) next() []byte {
	var proof string
	if left := len(p.proofs); left > 0 && time.Since(p.signed) < proofsGood {
		proof, p.proofs = p.proofs[left-1], p.proofs[:left-1]
	} else {
		proof = p.holder.proof()
	}
	p.request = postProved(p.request[:0], p.holder.token, proof, `{"command":"AUTH.WHOAMI"}`)
	return p.request
}

func (*proving) heard(status int, body []byte) error { return expect(200, status, body) }
