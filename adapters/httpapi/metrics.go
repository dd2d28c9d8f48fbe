package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/inbound"
)

// Metrics is GET /metrics, which tells how many log in and what fails: for programs of
// this machine, for whoever holds the token, and for superadmins.
type Metrics struct {
	Page http.Handler
	Gate inbound.Gate
	// Token lets its holder in as a bearer token; empty: nobody.
	Token secret.String
	// Open lets everybody in.
	Open bool
}

var errMetrics = fault.New(fault.Auth,
	"metrics are for this machine and for superadmins: send Authorization: Bearer with METRICS_TOKEN or the access token of a superadmin")

// metrics is the handler of Metrics.
type metrics struct {
	Metrics

	execution *execution
}

func (m *metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refused := m.permit(w, r); refused != nil {
		m.execution.answers.refuse(w, r, "", refused)
		return
	}
	m.Page.ServeHTTP(w, r)
}

// permit decides by the credential where one is sent, else by where the request comes
// from.
func (m *metrics) permit(w http.ResponseWriter, r *http.Request) *fault.Error {
	switch {
	case m.Open, m.holdsToken(r.Header["Authorization"]):
		return nil
	case len(r.Header["Authorization"]) == 0:
		if m.fromHere(r) {
			return nil
		}
		return errMetrics
	}
	request, refused := m.execution.request(w, r, envelope{})
	if refused != nil {
		return refused
	}
	return m.Gate.Superadmin(r.Context(), request)
}

// holdsToken compares digests, so that the time it takes tells nothing.
func (m *metrics) holdsToken(authorization []string) bool {
	if m.Token.Empty() || len(authorization) != 1 {
		return false
	}
	scheme, sent, _ := strings.Cut(authorization[0], " ")
	is, want := sha256.Sum256([]byte(strings.TrimLeft(sent, " "))), sha256.Sum256([]byte(m.Token.Reveal()))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(is[:], want[:]) == 1
}

// fromHere reports whether a program on this machine asks. What a proxy on this machine
// hands on comes from the same address: it is told by being trusted, by the headers of
// proxies, or by asking for a name of this service. The name also keeps out pages that
// let their own name stand for this address.
func (m *metrics) fromHere(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() || m.execution.clients.trusts(plain(peer.Addr())) {
		return false
	}
	for name := range r.Header {
		if forwards(name) {
			return false
		}
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && address.IsLoopback()
}

// forwards reports whether a header is one that proxies add.
func forwards(name string) bool {
	switch name {
	case "Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip":
		return true
	}
	return strings.HasPrefix(name, "X-Forwarded-")
}
