package social_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/social"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	got, ok := social.Normalize(social.Claim{
		ID: "1", Email: " Ada@EXAMPLE.com", Verified: true, Name: " Ada\r\n\tLovelace\x00 ", Avatar: "https://images.example.com/a.png?s=1",
	})
	want := social.Profile{
		ID: "1", Email: address(t, "Ada@example.com"), Verified: true, Name: "Ada Lovelace", Avatar: "https://images.example.com/a.png?s=1",
	}
	if !ok || got != want {
		t.Errorf("got  %+v, %v\nwant %+v", got, ok, want)
	}
	for name, claim := range map[string]social.Claim{
		"Ada Eve":                {ID: "1", Name: "\u202eAda\u2028\u2066Eve\u2069"},
		"ada":                    {ID: "1", Email: "ada@example.com", Name: "\u200f\u200b", Nickname: " "},
		"ada-l":                  {ID: "1", Name: " ", Nickname: "ada-l"},
		"":                       {ID: "1", Email: "no address"},
		strings.Repeat("é", 200): {ID: "1", Name: strings.Repeat("é", 300)},
	} {
		if got, ok := social.Normalize(claim); !ok || got.Name != name {
			t.Errorf("%+v is called %q, %v", claim, got.Name, ok)
		}
	}
}

func TestNormalizeRefuses(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "0", "a\x00b", "a\nb", strings.Repeat("1", 256)} {
		if _, ok := social.Normalize(social.Claim{ID: id}); ok {
			t.Errorf("%q tells one person from another", id)
		}
	}
	for _, text := range []string{"", "ada", "ada@example.com,eve@example.com", "<ada@example.com>", "ada@example.com\nBcc: eve@example.com", "ada\uff20example.com", "a@b@example.com"} {
		if got, ok := social.Normalize(social.Claim{ID: "1", Email: text, Verified: true}); !ok || got.Vouched() {
			t.Errorf("%q became %+v, %v", text, got, ok)
		}
	}
	for _, picture := range []string{"http://example.com/a.png", "javascript:alert(1)", "data:image/png;base64,x", "https://u:p@example.com/", "//example.com/a", "https:///a", "https://ex ample.com/", "https://exämple.com/", "https://example.com/" + strings.Repeat("a", 2048)} {
		got, _ := social.Normalize(social.Claim{ID: "1", Avatar: picture})
		if got.Avatar != "" {
			t.Errorf("%q is a picture", picture)
		}
	}
}
