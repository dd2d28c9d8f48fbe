package httpapi

import (
	"net/http"

	"gatehouse.internal/ports/inbound"
)

// door applies the instance's IP rules to handlers that execute no command: pages and
// published metadata. Commands apply the rules themselves.
type door struct {
	inbound.Door

	clients addresses
	answers *answers
	next    http.Handler
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refused := d.Admit(r.Context(), d.clients.client(r)); refused != nil {
		d.answers.refuse(w, r, "", refused)
		return
	}
	d.next.ServeHTTP(w, r)
}

// guarded wraps a handler with the instance's IP rules.
func (s *Server) guarded(a *answers, next http.Handler) http.Handler {
	if s.Door == nil {
		return next
	}
	return &door{Door: s.Door, clients: trusting(s.Proxies), answers: a, next: next}
}
