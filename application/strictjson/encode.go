package strictjson

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/secret"
)

// Encode writes v: compact, the same bytes for equal values, times in RFC 3339
// UTC, a nil list as [] and a nil map as {}.
func Encode(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true), json.WithMarshalers(json.MarshalToFunc(writeTime)))
}

// EncodeBlanked writes v as Encode does, with every secret.Shown in it as "":
// for a dry run, whose secrets are not real, and for answers that are kept. It
// sees Go values only: JSON that is already text is written as it is.
func EncodeBlanked(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true), json.WithMarshalers(json.JoinMarshalers(
		json.MarshalToFunc(writeTime), json.MarshalToFunc(writeBlank),
	)))
}

func writeTime(to *jsontext.Encoder, at time.Time) error {
	return to.WriteToken(jsontext.String(at.UTC().Format(time.RFC3339Nano)))
}

func writeBlank(to *jsontext.Encoder, _ secret.Shown) error {
	return to.WriteToken(jsontext.String(""))
}
