package token

import (
	"reflect"
	"strings"
	"testing"

	"gatehouse.internal/domain/app"
)

// namesOf are the claims that a struct types, those of embedded ones included.
func namesOf(of reflect.Type) []string {
	var names []string
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			names = append(names, namesOf(field.Type)...)
		case name != "":
			names = append(names, name)
		}
	}
	return names
}

// A custom claim with a name that the decoder types would break every later use of its token, or
// change what it means.
func TestNoCustomClaimHasANameOfTokens(t *testing.T) {
	t.Parallel()
	names := append(namesOf(reflect.TypeFor[presentedClaims]()), namesOf(reflect.TypeFor[MachineClaims]())...)
	if len(names) < 20 {
		t.Fatalf("tokens have %q alone", names)
	}
	for _, name := range names {
		if !app.ReservedClaim(name) {
			t.Errorf("apps and flows may set %s", name)
		}
	}
}
