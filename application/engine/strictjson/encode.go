package strictjson

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/secret"
)

// The options are created once, because the library caches type information by their
// identity.
var (
	inClear = json.JoinOptions(json.Deterministic(true), json.WithMarshalers(json.MarshalToFunc(writeTime)))                                                      //nolint:gochecknoglobals // never changes
	blanked = json.JoinOptions(json.Deterministic(true), json.WithMarshalers(json.JoinMarshalers(json.MarshalToFunc(writeTime), json.MarshalToFunc(writeBlank)))) //nolint:gochecknoglobals // never changes
)

// Encode writes v: compact, the same bytes for equal values, times in RFC 3339
// UTC, a nil list as [] and a nil map as {}.
func Encode(v any) ([]byte, error) {
	return json.Marshal(v, inClear)
}

// EncodeBlanked is like Encode, with every secret.Shown as "": for dry runs, whose
// secrets are not real, and for stored replies. It has no effect on values that are
// JSON text already.
func EncodeBlanked(v any) ([]byte, error) {
	return json.Marshal(v, blanked)
}

func writeTime(to *jsontext.Encoder, at time.Time) error {
	return to.WriteToken(jsontext.String(at.UTC().Format(time.RFC3339Nano)))
}

func writeBlank(to *jsontext.Encoder, _ secret.Shown) error {
	return to.WriteToken(jsontext.String(""))
}
