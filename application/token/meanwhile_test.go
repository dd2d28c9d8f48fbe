package token_test

import (
	"errors"
	"testing"

	"gatehouse.internal/application/token"
)

// A token is given only once what it stands for is stored.
func TestSignMeanwhile(t *testing.T) {
	t.Parallel()
	lost, unsigned := errors.New("the disk is full"), errors.New("no key")
	signed := make(chan struct{})
	cases := map[string]struct {
		store func() error
		sign  error
		fails error
	}{
		"both":     {func() error { <-signed; return nil }, nil, nil},
		"unstored": {func() error { return lost }, nil, lost},
		"unsigned": {func() error { return nil }, unsigned, unsigned},
		"neither":  {func() error { return lost }, unsigned, lost},
	}
	for name, c := range cases {
		got, err := token.SignMeanwhile(c.store, func() (string, error) {
			if name == "both" {
				close(signed)
			}
			if c.sign != nil {
				return "", c.sign
			}
			return "a token", nil
		})
		if !errors.Is(err, c.fails) || (got == "a token") != (c.fails == nil) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	got, err := token.SignMeanwhile(func() error { panic("boom") }, func() (string, error) { return "a token", nil })
	if err == nil || got != "" {
		t.Errorf("storing that panics: %q, %v", got, err)
	}
}
