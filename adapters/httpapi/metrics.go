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

// Metrics configures GET /metrics. It is readable by programs on this machine, holders
// of the token, and superadmins, because it shows how many log in and what fails.
type Metrics struct {
	Page http.Handler
	Gate inbound.Gate
	// Token grants access as a bearer token; empty for none.
	Token secret.String
	// Open grants access to everybody.
	Open bool
}

var errMetrics = fault.New(fault.Auth,
	"metrics are only available on this machine or with a credential: send Authorization: Bearer with METRICS_TOKEN or the access token of a superadmin")

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

// permit checks the credential if there is one, else the client's address.
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

// holdsToken compares digests, so that timing reveals nothing.
func (m *metrics) holdsToken(authorization []string) bool {
	if m.Token.Empty() || len(authorization) != 1 {
		return false
	}
	scheme, sent, _ := strings.Cut(authorization[0], " ")
	is, want := sha256.Sum256([]byte(strings.TrimLeft(sent, " "))), sha256.Sum256([]byte(m.Token.Reveal()))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(is[:], want[:]) == 1
}

// fromHere reports whether a program on this machine sent the request. Requests of a
// proxy on this machine come from the same address, and are recognized by a trusted
// proxy address, by proxy headers, or by a Host that is not a loopback name. The check
// of Host also prevents DNS rebinding.
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

// forwards reports whether a header is set by proxies.
func forwards(name string) bool {
	switch name {
	case "Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip":
		return true
	}
	return strings.HasPrefix(name, "X-Forwarded-")
}
