package httpapi

import "testing"

// TestFramingKeepsItsPlace parses requests of all forms, with input split at any
// position.
func TestFramingKeepsItsPlace(t *testing.T) {
	t.Parallel()
	const stream = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n" +
		"POST /b HTTP/1.1\r\nhost: x\r\ncontent-length: \t12 \r\n\r\nno\nCRLF\nhere" +
		"POST /c HTTP/1.1\r\nHost: x\r\nTRANSFER-ENCODING: Chunked\r\n\r\n" +
		"3;a=b\r\n\n\n\n\r\n00A\r\n0123456789\r\n1 ;x\r\n\r\r\n0\r\nContent-Length: 9\r\n\r\n" +
		"POST /d HTTP/1.0\r\nContent-Length: 0\r\n\r\n" +
		"POST /e HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
		"GET /f HTTP/1.1\r\nTransfer: x\r\nContent-Type: y\r\nX:\r\n\r\n"
	for size := 1; size <= len(stream); size++ {
		var f framing
		for at := 0; at < len(stream); at += size {
			part := []byte(stream[at:min(at+size, len(stream))])
			if fit, ok := f.follow(part); !ok || fit != len(part) {
				t.Fatalf("in parts of %d: refused behind %q", size, stream[:at+fit])
			}
		}
		if f.phase != requestLine || len(f.begun) > 0 {
			t.Errorf("in parts of %d: ends in phase %d with %q", size, f.phase, f.begun)
		}
	}
}

// FuzzFraming checks that splitting the input does not change the result.
func FuzzFraming(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcG"), 5)
	f.Add([]byte("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n X: y\r\n\r\n"), 3)
	f.Add([]byte("POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"), 20)
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		if size < 1 || size > len(stream) {
			return
		}
		var whole, parted framing
		_, wanted := whole.follow(stream)
		for at := 0; at < len(stream); at += size {
			part := stream[at:min(at+size, len(stream))]
			fit, ok := parted.follow(part)
			if fit > len(part) || ok && fit < len(part) {
				t.Fatalf("%d of %d bytes are fit: %v", fit, len(part), ok)
			}
			if !ok {
				if wanted {
					t.Fatalf("in parts of %d %q is refused", size, stream)
				}
				return
			}
		}
		if !wanted {
			t.Fatalf("in parts of %d %q is taken", size, stream)
		}
	})
}
