package strictjson_test

import (
	"testing"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/secret"
)

type answer struct {
	ID     string       `json:"id"`
	Email  string       `json:"email"`
	Made   time.Time    `json:"made"`
	Token  secret.Shown `json:"token"`
	Scopes []string     `json:"scopes"`
}

func BenchmarkDecode(b *testing.B) {
	raw := []byte(`{"id":"usr_1","email":"alice@example.com","scopes":["a","b"]}`)
	b.ReportAllocs()
	for b.Loop() {
		var into answer
		if err := strictjson.Decode(raw, &into); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	value := answer{ID: "usr_1", Email: "alice@example.com", Token: "t", Scopes: []string{"a", "b"}}
	for name, encode := range map[string]func(any) ([]byte, error){
		"clear": strictjson.Encode, "blanked": strictjson.EncodeBlanked,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := encode(value); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
