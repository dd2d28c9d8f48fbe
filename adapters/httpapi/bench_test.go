package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"gatehouse.internal/ports/inbound"
)

// blank is a response writer without cost.
type blank struct{ header http.Header }

func (b *blank) Header() http.Header          { return b.header }
func (*blank) WriteHeader(int)                {}
func (*blank) Write(body []byte) (int, error) { return len(body), nil }

// fixed is a body that can be read again.
type fixed struct{ *strings.Reader }

func (fixed) Close() error { return nil }

// BenchmarkExecute measures a call without net/http and the application.
func BenchmarkExecute(b *testing.B) {
	data := []byte(`{"id":"usr_01h455vb4pex5vsknk084sn02q","email":"alice@example.com","is_superadmin":false,"display_name":"Alice"}`)
	server := bench(&scripted{})
	server.Commands = instant(data)
	handler := start(b, server)
	const body = `{"command":"USER.ME","params":{}}`
	source := strings.NewReader(body)
	r := post(body, "Authorization", "Bearer "+strings.Repeat("x", 600), "User-Agent", "curl/8.5.0")
	r.ContentLength = int64(len(body))
	w := &blank{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		source.Reset(body)
		r.Body = fixed{source}
		clear(w.header)
		handler.ServeHTTP(w, r)
	}
}

// instant is an application with a constant response.
type instant []byte

func (i instant) Execute(_ context.Context, request inbound.Request) inbound.Reply {
	return inbound.Reply{Command: request.Command, Data: i}
}
func (instant) Catalog() []inbound.Descriptor { return nil }

func (instant) Describe(context.Context, string) (inbound.Descriptor, bool) {
	return inbound.Descriptor{}, false
}
