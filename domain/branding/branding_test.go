package branding_test

import (
	"regexp"
	"strconv"
	"testing"

	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/email"
)

func TestWorkspaceBrandingOverridesInstance(t *testing.T) {
	t.Parallel()
	instance := branding.Settings{
		Name: "Acme", LogoURL: "https://cdn.example.com/a.png", Colors: branding.Colors{Primary: "#112233", PrimaryDark: "#445566"},
		SupportEmail: email.Restore("help@example.com"), Locale: "de",
	}
	own := branding.Settings{Name: "Ada", Colors: branding.Colors{Background: "#ffffff"}}
	got := own.Over(instance)
	want := instance
	want.Name, want.Colors = "Ada", own.Colors
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if none := (branding.Settings{}); none.Over(instance) != instance || none.Whole() != branding.Builtin() {
		t.Error("an empty look changes what is below it")
	}
	if whole := got.Whole().Colors; whole != (branding.Colors{Primary: "#3a4fd0", Background: "#ffffff", PrimaryDark: "#9db0ff", BackgroundDark: "#0e1019"}) {
		t.Errorf("colors %+v: those of a look are not mixed with another one's", whole)
	}
	if whole := (branding.Colors{Primary: "#112233"}).Whole(); whole.PrimaryDark != "#112233" {
		t.Errorf("the primary color is %s on dark screens", whole.PrimaryDark)
	}
}

func TestColors(t *testing.T) {
	t.Parallel()
	var c branding.Color
	if err := c.UnmarshalText([]byte("#FFdd0a")); err != nil || c != "#ffdd0a" {
		t.Errorf("read %s, %v", c, err)
	}
	pattern := regexp.MustCompile(c.SchemaFragment()["pattern"].(string))
	for _, text := range []string{"", "red", "#fff", "#ffdd0", "#ffdd000", "ffdd00", "#+1+1+1", "#fff;}*{", "#ffdd00;", " #ffdd00", "#ffdd0g", "var(--x)", "##ffdd0"} {
		if c.UnmarshalText([]byte(text)) == nil || pattern.MatchString(text) {
			t.Errorf("%q is taken for a color", text)
		}
	}
	for ground, want := range map[branding.Color]branding.Color{"#ffffff": "#000000", "#000000": "#ffffff", "#ffdd00": "#000000", "#3a4fd0": "#ffffff", "#777777": "#000000"} {
		if got := ground.Ink(); got != want {
			t.Errorf("the ink on %s is %s, want %s", ground, got, want)
		}
	}
	for _, test := range []struct{ text, ground, want branding.Color }{
		{"#3a4fd0", "#ffffff", "#3a4fd0"},
		{"#ffdd00", "#ffffff", "#000000"},
		{"#ffdd00", "#171a27", "#ffdd00"},
		{"#767676", "#ffffff", "#767676"},
		{"#777777", "#ffffff", "#000000"},
	} {
		if got := test.text.On(test.ground); got != test.want {
			t.Errorf("%s on %s is %s, want %s", test.text, test.ground, got, test.want)
		}
	}
}

// One of black and white is legible on every color.
func TestInkIsLegible(t *testing.T) {
	t.Parallel()
	for gray := range 256 {
		part := strconv.FormatInt(int64(gray)|0x100, 16)[1:]
		ground := branding.Color("#" + part + part + part)
		if ink := ground.Ink(); ink.On(ground) != ink {
			t.Errorf("%s is not legible on %s", ink, ground)
		}
	}
}

func TestLogos(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(branding.LogoURL("").SchemaFragment()["pattern"].(string))
	for address, origin := range map[branding.LogoURL]string{
		"https://cdn.example.com/logo.svg": "https://cdn.example.com", "https://cdn.example.com:8443": "https://cdn.example.com:8443",
		"https://192.0.2.1/a?b=c#d": "https://192.0.2.1", "https://EXAMPLE.com/';\"<>": "https://EXAMPLE.com",
	} {
		if !pattern.MatchString(string(address)) {
			t.Errorf("%s is refused", address)
		}
		if got := address.Origin(); got != origin {
			t.Errorf("the origin of %s is %s, want %s", address, got, origin)
		}
	}
	for _, address := range []string{
		"", "/logo.svg", "//cdn.example.com/a", "http://cdn.example.com/a", "javascript:alert(1)", "data:image/png;base64,AA==", "https://", "https:///a",
		"https://me:you@cdn.example.com/a", "https://cdn.example.com; script-src *", "https://a.example;script-src-elem/", "https://a.example,default-src/",
		"https://*.example.com/a", "https://*/", "https://a.example/a b", "https://a.example/a\nb", "https://[::1]/a", "https://a..example/", "https://münchen.example/a",
		"https://a.example:/x", "https://a.example\\@b.example/", "HTTPS://a.example/",
	} {
		if pattern.MatchString(address) {
			t.Errorf("%q is taken for a logo", address)
		}
	}
	if got := branding.LogoURL("").Origin(); got != "" {
		t.Errorf("no logo is of %q", got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(branding.Name("").SchemaFragment()["pattern"].(string))
	for name, ok := range map[string]bool{
		"Acme & Sons": true, "Mærsk A/S": true, "株式会社": true, "<b>": true, "👩\u200d💻 Co": true, "a\nb": false, "a\x00": false, "a\u202eb": false, "a\u2028b": false, "a\u2066b": false, "\u0085": false,
	} {
		var read branding.Name
		if taken := pattern.MatchString(name) && read.UnmarshalText([]byte(name)) == nil; taken != ok {
			t.Errorf("the name %q: want %t", name, ok)
		}
	}
}
