package strictjson

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/secret"
)

// The options are made once, because the library remembers what it learned of a
// type by their identity.
var (
	inClear = json.JoinOptions(json.Deterministic(true), json.WithMarshalers(json.MarshalToFunc(writeTime)))                                                      //nolint:gochecknoglobals // never changes
	blanked = json.JoinOptions(json.Deterministic(true), json.WithMarshalers(json.JoinMarshalers(json.MarshalToFunc(writeTime), json.MarshalToFunc(writeBlank)))) //nolint:gochecknoglobals // never changes
)

// Encode writes v: compact, the same bytes for equal values, times in RFC 3339
// UTC, a nil list as [] and a nil map as {}.
func Encode(v any) ([]byte, error) {
	return json.Marshal(v, inClear)
}

// EncodeBlanked writes v as Encode does, with every secret.Shown in it as "":
// for a dry run, whose secrets are not real, and for answers that are kept. It
// sees Go values only: JSON that is already text is written as it is.
func EncodeBlanked(v any) ([]byte, error) {
	return json.Marshal(v, blanked)
}

func writeTime(to *jsontext.Encoder, at time.Time) error {
	return to.WriteToken(jsontext.String(at.UTC().Format(time.RFC3339Nano)))
}

func writeBlank(to *jsontext.Encoder, _ secret.Shown) error {
	return to.WriteToken(jsontext.String(""))
}
