package schema_test

import (
	"testing"

	"gatehouse.internal/application/engine/schema"
)

func BenchmarkValidate(b *testing.B) {
	cases := map[string]struct {
		schema *schema.Schema
		raw    string
	}{
		"empty": {of[empty](b), `{}`},
		"page":  {of[page](b), `{"limit":50}`},
		"login": {of[login](b), `{"email":"alice@example.com","password":"correct horse"}`},
		"id": {of[struct {
			User userID `json:"user_id" doc:"User."`
		}](b), `{"user_id":"usr_01jd7x9k2mf3q8v5t0abcdefgh"}`},
		"wrong": {of[login](b), `{"email":"alice@example.com","password":"short"}`},
		"large": {of[everything](b), string(of[everything](b).Example())},
	}
	for name, c := range cases {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			raw := []byte(c.raw)
			for b.Loop() {
				c.schema.Validate(raw)
			}
		})
	}
}
