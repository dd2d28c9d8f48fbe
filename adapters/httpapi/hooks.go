package httpapi

import (
	"net/http"

	"github.com/gorilla/mux"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// hookPath is the endpoint for webhooks of payment processors (contract section 12).
const hookPath = "/api/billing/webhooks/{processor}"

// paymentHooks serves POST /api/billing/webhooks/<processor>. The body is passed on
// unchanged, because it is signed.
type paymentHooks struct {
	*execution

	to inbound.PaymentHooks
}

func (h *paymentHooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	borrowed := h.answers.buffers.borrow()
	defer h.answers.buffers.giveBack(borrowed)
	body, err := readBody(r, *borrowed, h.maxBody)
	*borrowed = body
	if err != nil {
		h.refuseBody(w, r, err)
		return
	}
	if err := h.to.Take(r.Context(), mux.Vars(r)["processor"], r.Header, body); err != nil {
		h.answers.refuse(w, r, "", fault.From(err))
		return
	}
	h.answers.send(w, r, http.StatusOK, inbound.Reply{Data: []byte(`{"received":true}`)})
}
