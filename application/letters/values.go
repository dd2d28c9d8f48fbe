package letters

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/email"
)

// Known is what every mail may tell.
type Known struct {
	// Host is SERVICE_HOST, Name the display name of the reader.
	Host, Name string
	Email      email.Address
	// Look is what was set of it. Without a name the service is called by its host.
	Look branding.Look
}

// Fill adds it to the values, in place of whatever stood there.
func (k Known) Fill(v Values) {
	v[varHost], v[varService] = k.Host, k.Host
	if address, err := url.Parse(k.Host); err == nil && address.Host != "" {
		v[varService] = address.Host
	}
	v.Dress(k.Look)
	v[varName], v[varEmail] = greeting(k.Name), k.Email.String()
	delete(v, varLink)
	delete(v, varCode)
	delete(v, varValid)
}

// The grounds of the built-in layout that links stand on: the one of two that is
// harder to read on.
const (
	ground     branding.Color = "#f4f5f7"
	groundDark branding.Color = "#1b202a"
)

// Dress puts a look in place of the one before; the name of the service stays where
// the look has none.
func (v Values) Dress(look branding.Look) {
	if look.Name != "" {
		v[varService] = string(look.Name)
	}
	v[varLogo], v[varSupport] = string(look.LogoURL), look.SupportEmail.String()
	colors := look.Colors.Whole()
	light, dark := colors.Primary, colors.PrimaryDark
	v[varPrimary], v[varOnPrimary], v[varLinks] = string(light), string(light.Ink()), string(light.On(ground))
	v[varPrimaryDark], v[varOnPrimaryDark], v[varLinksDark] = string(dark), string(dark.Ink()), string(dark.On(groundDark))
}

// Link adds a link that works so long.
func (v Values) Link(link string, life time.Duration) { v[varLink], v[varValid] = link, spell(life) }

// Code adds a code that works so long.
func (v Values) Code(code string, life time.Duration) { v[varCode], v[varValid] = code, spell(life) }

// maxGreeting is how long a name in a greeting may be, in characters.
const maxGreeting = 80

// greeting gives a display name as a greeting uses it. Whoever opens an account
// chooses the name and the address that gets mail, so one that holds what programs
// make a link of is left out.
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
