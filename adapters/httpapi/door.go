package httpapi

import (
	"net/http"

	"gatehouse.internal/ports/inbound"
)

// door stands before what is no command: pages, and what is published beside the commands.
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

// guarded lets nobody through to a handler who is kept out of the instance.
func (s *Server) guarded(a *answers, next http.Handler) http.Handler {
	if s.Door == nil {
		return next
	}
	return &door{Door: s.Door, clients: trusting(s.Proxies), answers: a, next: next}
}
