package harness

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// From is the same actor, calling from a fixed address.
func (a *Actor) From(address int) *Actor {
	placed := *a
	placed.address = address
	return &placed
}

var addresses atomic.Uint32

// ip is 10.x.y.z with the actor's number, or the next one.
func (a *Actor) ip() netip.Addr {
	n := uint32(a.address)
	if n == 0 {
		n = 1<<16 + addresses.Add(1)
	}
	return netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
}

// Reply is the answer to one call.
type Reply struct {
	Data    P
	Failure *fault.Error
	// Replayed reports whether it is the stored answer to an Idempotency-Key.
	Replayed bool

	t       testing.TB
	command string
}

func (h *Service) reply(r inbound.Reply) *Reply {
	h.t.Helper()
	reply := &Reply{t: h.t, command: r.Command, Failure: r.Failure, Replayed: r.Replayed}
	if r.Failure == nil {
		if err := json.Unmarshal(r.Data, &reply.Data); err != nil {
			h.t.Fatalf("%s answered what is no object: %v", r.Command, err)
		}
	}
	return reply
}

// OK fails the test unless the call succeeded.
func (r *Reply) OK() *Reply {
	r.t.Helper()
	if r.Failure != nil {
		r.t.Fatalf("%s failed with %v (%v), want success", r.command, r.Failure, r.Failure.Fields)
	}
	return r
}

// Fails fails the test unless the call failed with this code.
func (r *Reply) Fails(code fault.Code) *Reply {
	r.t.Helper()
	if r.Failure == nil {
		r.t.Fatalf("%s succeeded with %v, want %s", r.command, r.Data, code)
	}
	if r.Failure.Code != code {
		r.t.Fatalf("%s failed with %v, want %s", r.command, r.Failure, code)
	}
	return r
}

// Field fails the test unless the failure complains about this parameter.
func (r *Reply) Field(path string) *Reply {
	r.t.Helper()
	if r.Failure == nil || !slices.ContainsFunc(r.Failure.Fields, func(f fault.Field) bool { return f.Path == path }) {
		r.t.Fatalf("%s: no complaint about %s in %+v", r.command, path, r.Failure)
	}
	return r
}

// value finds a value by its dotted path.
func (r *Reply) value(path string) any {
	r.t.Helper()
	r.OK()
	var at any = r.Data
	for name := range strings.SplitSeq(path, ".") {
		object, ok := at.(P)
		if !ok {
			r.t.Fatalf("%s: no %s in %v", r.command, path, r.Data)
		}
		if at, ok = object[name]; !ok {
			r.t.Fatalf("%s: no %s in %v", r.command, path, r.Data)
		}
	}
	return at
}

func typed[T any](r *Reply, path string) T {
	r.t.Helper()
	value, ok := r.value(path).(T)
	if !ok {
		r.t.Fatalf("%s: %s = %v, want a %T", r.command, path, r.value(path), value)
	}
	return value
}

// Has reports whether the result has something under a dotted path.
func (r *Reply) Has(path string) bool {
	at := r.OK().Data
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		at, _ = at[name].(P)
	}
	_, ok := at[names[len(names)-1]]
	return ok
}

// String is the text under a dotted path.
func (r *Reply) String(path string) string { r.t.Helper(); return typed[string](r, path) }

// Bool is the boolean under a dotted path.
func (r *Reply) Bool(path string) bool { r.t.Helper(); return typed[bool](r, path) }

// Int is the whole number under a dotted path.
func (r *Reply) Int(path string) int { r.t.Helper(); return int(typed[float64](r, path)) }

// List is the list of objects under a dotted path.
func (r *Reply) List(path string) []P {
	r.t.Helper()
	var list []P
	for _, item := range typed[[]any](r, path) {
		object, ok := item.(P)
		if !ok {
			r.t.Fatalf("%s: %s holds %v, want objects", r.command, path, item)
		}
		list = append(list, object)
	}
	return list
}

// Strings is the list of texts under a dotted path.
func (r *Reply) Strings(path string) []string {
	r.t.Helper()
	list := []string{}
	for _, item := range typed[[]any](r, path) {
		text, ok := item.(string)
		if !ok {
			r.t.Fatalf("%s: %s holds %v, want texts", r.command, path, item)
		}
		list = append(list, text)
	}
	return list
}
