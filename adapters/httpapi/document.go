package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// document is a cacheable public response.
type document struct {
	plain []byte
	// zipped returns the compressed content, created on first use; nil if compression
	// does not pay.
	zipped       func() []byte
	etag         string
	cacheControl string
}

// zipAt is the size from which documents are compressed, in bytes.
const zipAt = 1024

// newDocument returns a document with the JSON encoding of value. It fails if value
// cannot be encoded.
func newDocument(value any, cacheControl string) (*document, error) {
	plain, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode a document: %w", err)
	}
	made := documentOf(plain, cacheControl)
	if len(plain) < zipAt {
		return made, nil
	}
	made.zipped = sync.OnceValue(func() []byte { return squeezed(plain) })
	return made, nil
}

// publish responds with the JSON encoding of value.
func (a *answers) publish(w http.ResponseWriter, r *http.Request, value any, cacheControl string) {
	page, err := newDocument(value, cacheControl)
	a.page(w, r, page, err)
}

// lasting returns a handler of a value that does not change while the process runs. It
// is encoded on first use, to keep startup fast.
func (a *answers) lasting(value func() any) http.Handler {
	return a.lastingOr(func() (any, error) { return value(), nil })
}

// lastingOr is lasting for a value that can't always be made.
func (a *answers) lastingOr(value func() (any, error)) http.Handler {
	made := sync.OnceValues(func() (*document, error) {
		found, err := value()
		if err != nil {
			return nil, err
		}
		return newDocument(found, keepDocuments)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, err := made()
		a.page(w, r, page, err)
	})
}

func (a *answers) page(w http.ResponseWriter, r *http.Request, page *document, err error) {
	if err != nil {
		a.refuse(w, r, "", internal(err))
		return
	}
	page.ServeHTTP(w, r)
}

func squeezed(plain []byte) []byte {
	var zipped bytes.Buffer
	// Neither a valid level nor a buffer returns an error.
	squeeze, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	_, _ = squeeze.Write(plain)
	_ = squeeze.Close()
	return zipped.Bytes()
}

// documentOf returns a document of JSON. The validator is weak, because it is the same
// for the plain and the compressed form (RFC 9110 section 8.8.1).
func documentOf(plain []byte, cacheControl string) *document {
	const enough = 18
	sum := sha256.Sum256(plain)
	tag := base64.RawURLEncoding.EncodeToString(sum[:enough])
	return &document{plain: plain, etag: `W/"` + tag + `"`, cacheControl: cacheControl}
}

func (d *document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", d.cacheControl)
	header.Set("ETag", d.etag)
	if d.zipped != nil {
		header["Vary"] = append(header["Vary"], "Accept-Encoding")
	}
	if matches(r.Header["If-None-Match"], d.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header["Content-Type"] = jsonType()
	body := d.plain
	if d.zipped != nil && takesGzip(r.Header["Accept-Encoding"]) {
		header.Set("Content-Encoding", "gzip")
		body = d.zipped()
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// matches implements the weak comparison of If-None-Match (RFC 9110 section 13.1.2).
func matches(lines []string, etag string) bool {
	opaque := strings.TrimPrefix(etag, "W/")
	for _, line := range lines {
		for tag := range strings.SplitSeq(line, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" || strings.TrimPrefix(tag, "W/") == opaque {
				return true
			}
		}
	}
	return false
}

// takesGzip reports whether a client accepts gzip with any weight but zero.
func takesGzip(lines []string) bool {
	for _, line := range lines {
		for offer := range strings.SplitSeq(line, ",") {
			coding, weight, _ := strings.Cut(offer, ";")
			if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				continue
			}
			weight, given := strings.CutPrefix(strings.TrimSpace(weight), "q=")
			q, err := strconv.ParseFloat(weight, 64)
			return !given || err == nil && q > 0
		}
	}
	return false
}
