package collector

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// HEC is Splunk's HTTP Event Collector, by its reference ("Format events for HTTP Event
// Collector", "Troubleshoot HTTP Event Collector"): events follow each other in one body, and
// the token stands in Authorization.
type HEC struct {
	*httptest.Server

	Token string
	mu    sync.Mutex
	got   []Event
	busy  bool
}

// Event is what a collector indexes.
type Event struct {
	Time       json.Number     `json:"time"`
	Host       string          `json:"host"`
	Source     string          `json:"source"`
	SourceType string          `json:"sourcetype"`
	Index      string          `json:"index"`
	Event      json.RawMessage `json:"event"`
	Fields     map[string]any  `json:"fields"`
}

// NewHEC makes one that knows a token.
func NewHEC(t testing.TB, token string) *HEC {
	t.Helper()
	c := &HEC{Token: token}
	mux := http.NewServeMux()
	mux.HandleFunc("/services/collector/event", c.take)
	c.Server = httptest.NewServer(mux)
	t.Cleanup(c.Close)
	return c
}

// Busy has everything answered by 503, code 9, or not any more.
func (c *HEC) Busy(yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = yes
}

// Events are those that were indexed.
func (c *HEC) Events() []Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Event(nil), c.got...)
}

func answer(w http.ResponseWriter, status, code int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"text": text, "code": code})
}

func (c *HEC) take(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case r.Method != http.MethodPost:
		answer(w, http.StatusMethodNotAllowed, 12, "Method not allowed")
		return
	case r.Header.Get("Authorization") == "":
		answer(w, http.StatusUnauthorized, 2, "Token is required")
		return
	case r.Header.Get("Authorization") != "Splunk "+c.Token:
		answer(w, http.StatusForbidden, 4, "Invalid token")
		return
	case c.busy:
		answer(w, http.StatusServiceUnavailable, 9, "Server is busy")
		return
	}
	in := json.NewDecoder(r.Body)
	in.DisallowUnknownFields()
	var events []Event
	for {
		var one Event
		err := in.Decode(&one)
		if errors.Is(err, io.EOF) {
			break
		}
		switch {
		case err != nil:
			answer(w, http.StatusBadRequest, 6, "Invalid data format")
			return
		case len(one.Event) == 0:
			answer(w, http.StatusBadRequest, 12, "Event field is required")
			return
		case string(one.Event) == `""` || string(one.Event) == "null":
			answer(w, http.StatusBadRequest, 13, "Event field cannot be blank")
			return
		}
		events = append(events, one)
	}
	if len(events) == 0 {
		answer(w, http.StatusBadRequest, 5, "No data")
		return
	}
	c.got = append(c.got, events...)
	answer(w, http.StatusOK, 0, "Success")
}
