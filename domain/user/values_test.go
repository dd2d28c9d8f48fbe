package user_test

import (
	"errors"
	"testing"

	"gatehouse.internal/domain/user"
)

func TestDisplayNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ada Lovelace": "Ada Lovelace", " \u00a0\u3000Ada\t": "Ada", "株式会社": "株式会社", "عايدة": "عايدة", "👩\u200d💻": "👩\u200d💻", "<b>": "<b>",
	} {
		var name user.DisplayName
		if err := name.UnmarshalText([]byte(text)); err != nil || string(name) != want {
			t.Errorf("%q is read as %q, %v, want %q", text, name, err, want)
		}
	}
	for text, want := range map[string]error{
		"": user.ErrNameEmpty, " ": user.ErrNameEmpty, "\u00a0\u3000": user.ErrNameEmpty, "\u200b": user.ErrNameEmpty,
		"Ada\u202e": user.ErrNameMisleading, "\u2066Ada\u2069": user.ErrNameMisleading, "\u200fAda": user.ErrNameMisleading,
		"Ada\u2028Eve": user.ErrNameMisleading, "Ada\u2029Eve": user.ErrNameMisleading,
	} {
		var name user.DisplayName
		if err := name.UnmarshalText([]byte(text)); !errors.Is(err, want) || name != "" {
			t.Errorf("%q is read as %q, %v, want %v", text, name, err, want)
		}
	}
}
