package email_test

import (
	"testing"

	"gatehouse.internal/domain/email"
)

func TestHint(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ada@example.com": "a***@e***.com", "a@b.example.co.uk": "a***@b***.uk", "élodie@bücher.example": "é***@x***.example",
	} {
		address, err := email.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := address.Hint(); got != want {
			t.Errorf("Hint(%s) = %s, want %s", text, got, want)
		}
	}
	if got := (email.Address{}).Hint(); got != "" {
		t.Errorf("Hint() of none = %q", got)
	}
}
