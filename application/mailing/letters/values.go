package letters

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/email"
)

// CommonValues holds the values that every mail may use.
type CommonValues struct {
	// Host is SERVICE_HOST, Name the display name of the reader.
	Host, Name string
	Email      email.Address
	// Proved reports whether the reader has shown the address to be theirs. Anybody may have
	// given another, so a mail to it carries no name that its sender chose, unless the
	// sender's own address is verified.
	Proved bool
	// Look is the branding. Without a name, the service is called as on its pages.
	Look branding.Settings
}

// Fill adds it to the values, in place of whatever stood there.
func (k CommonValues) Fill(v Values) {
	v[varHost] = k.Host
	v.Dress(k.Look)
	v[varName], v[varEmail] = greeting(k.Name), k.Email.String()
	v[varWorkspace], v[varInviter] = greeting(v[varWorkspace]), greeting(v[varInviter])
	if !k.Proved {
		v[varName], v[varNewEmail] = "", ""
	}
	if !k.Proved && v[varInviterEmail] == "" {
		v[varWorkspace], v[varInviter] = "", ""
	}
	delete(v, varLink)
	delete(v, varCode)
	delete(v, varValid)
}

// The background colors of the built-in layout; links must be legible on both.
const (
	ground     branding.Color = "#f4f5f7"
	groundDark branding.Color = "#1b202a"
)

// Dress puts a look in place of the one before. What it leaves out is built in.
func (v Values) Dress(look branding.Settings) {
	look = look.Whole()
	v[varService], v[varLogo], v[varSupport] = string(look.Name), string(look.LogoURL), look.SupportEmail.String()
	light, dark := look.Colors.Primary, look.Colors.PrimaryDark
	v[varPrimary], v[varOnPrimary], v[varLinks] = string(light), string(light.Ink()), string(light.On(ground))
	v[varPrimaryDark], v[varOnPrimaryDark], v[varLinksDark] = string(dark), string(dark.Ink()), string(dark.On(groundDark))
}

// Service returns the name of the service in the mail.
func (v Values) Service() string { return v[varService] }

// Link adds a link that works so long.
func (v Values) Link(link string, life time.Duration) { v[varLink], v[varValid] = link, spell(life) }

// Code adds a code that works so long.
func (v Values) Code(code string, life time.Duration) { v[varCode], v[varValid] = code, spell(life) }

// maxGreeting is how long a name in a greeting may be, in characters.
const maxGreeting = 80

// greeting returns a display name for a greeting, or "" if it contains anything that
// mail programs turn into a link: whoever creates an account chooses both the name and
// the recipient of the mail.
func greeting(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if utf8.RuneCountInString(name) > maxGreeting || strings.ContainsAny(name, `/\:@<>[]`) {
		return ""
	}
	for i, r := range name {
		if r == '.' && i+1 < len(name) && name[i+1] != ' ' {
			return ""
		}
	}
	return name
}

// spell writes how long something works, as precisely as it matters.
func spell(life time.Duration) string {
	const day = 24 * time.Hour
	unit, name := time.Minute, "minute"
	switch {
	case life >= 2*day && life%day == 0:
		unit, name = day, "day"
	case life >= time.Hour && life%time.Hour == 0:
		unit, name = time.Hour, "hour"
	}
	n := int(life / unit)
	if n == 1 {
		return "1 " + name
	}
	return strconv.Itoa(n) + " " + name + "s"
}
