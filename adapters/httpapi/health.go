package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// readyWithin is the time limit of a probe.
const readyWithin = 2 * time.Second

var errLate = errors.New("the readiness check timed out")

// health serves GET /health: readiness or, with ?check=live, liveness.
type health struct {
	from    inbound.Health
	answers *answers
	logger  *slog.Logger
	// ailing reports whether the last probe failed; only changes are logged.
	ailing atomic.Bool
}

func (h *health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	checks := r.URL.Query()["check"]
	switch {
	case len(checks) == 0, len(checks) == 1 && checks[0] == "ready":
		h.ready(w, r)
	case len(checks) == 1 && checks[0] == "live":
		state(w, http.StatusOK, []byte(`{"status":"ok"}`))
	default:
		h.answers.refuse(w, r, "", fault.New(fault.Validation, "check must be live or ready"))
	}
}

func (h *health) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyWithin)
	defer cancel()
	err := h.ask(ctx)
	if changed := h.ailing.Swap(err != nil) != (err != nil); changed && err != nil {
		h.logger.WarnContext(r.Context(), "not ready", "error", err)
	} else if changed {
		h.logger.InfoContext(r.Context(), "ready again")
	}
	if err == nil {
		state(w, http.StatusOK, []byte(`{"status":"ok"}`))
		return
	}
	body := appendText([]byte(`{"status":"unavailable","reason":`), reason(err))
	state(w, http.StatusServiceUnavailable, append(body, '}'))
}

// ask checks the instance until the context ends, and no longer, because a database
// driver may ignore the context.
func (h *health) ask(ctx context.Context) error {
	found := make(chan error, 1)
	go func() { found <- h.from.Ready(ctx) }()
	select {
	case err := <-found:
		return err
	case <-ctx.Done():
		return errLate
	}
}

// reason returns the reason for a failure to show to the caller. An error that wraps
// nothing is made to be shown (inbound.Health); one that wraps another contains text of
// a library, with hosts, users and tables, and is only logged.
func reason(err error) string {
	const short = 64
	if said := err.Error(); errors.Unwrap(err) == nil && len(said) <= short {
		return said
	}
	return "not ready"
}

func state(w http.ResponseWriter, code int, body []byte) {
	header := w.Header()
	header["Content-Type"] = jsonType()
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, _ = w.Write(body)
}
