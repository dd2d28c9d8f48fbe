package social

import (
	"net/url"
	"strings"
	"unicode"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
)

// Profile is a person at a provider, normalized.
type Profile struct {
	// ID is the provider's identifier of the account.
	ID string
	// Email is the person's address; unset when there is none that is one.
	Email email.Address
	// Verified reports whether the provider has seen that the address is the person's.
	Verified bool
	Name     string
	// Avatar is the https address of a picture, or empty.
	Avatar string
}

// Vouched reports whether the provider verified the address.
func (p Profile) Vouched() bool { return p.Verified && !p.Email.IsZero() }

// Claim is a profile as the provider words it. Nothing of it is believed yet.
type Claim struct {
	ID       string
	Email    string
	Verified bool
	// Name is the display name; Nickname replaces it if it is empty.
	Name, Nickname string
	Avatar         string
}

// Limits of values from a provider.
const (
	maxID     = 255
	maxName   = 200
	maxAvatar = 2048
)

// Normalize returns the profile of a claim; false if it has no unique identifier.
func Normalize(c Claim) (Profile, bool) {
	if c.ID == "" || c.ID == "0" || len(c.ID) > maxID || strings.ContainsFunc(c.ID, unprintable) {
		return Profile{}, false
	}
	p := Profile{ID: c.ID, Avatar: picture(c.Avatar), Name: name(c.Name)}
	if p.Name == "" {
		p.Name = name(c.Nickname)
	}
	if address, err := email.Parse(c.Email); err == nil {
		p.Email, p.Verified = address, c.Verified
	}
	if p.Name == "" {
		local, _, _ := strings.Cut(p.Email.String(), "@")
		p.Name = name(local)
	}
	return p, true
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// name cleans a text to show: one line, of at most 200 characters, that is a
// user.DisplayName. It returns nothing where nothing is left.
func name(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || user.Misleading(r)
	}), " ")
	if letters := []rune(text); len(letters) > maxName {
		text = string(letters[:maxName])
	}
	var shown user.DisplayName
	if shown.UnmarshalText([]byte(text)) != nil {
		return ""
	}
	return string(shown)
}

// picture returns an https address of plain characters, or nothing.
func picture(text string) string {
	parsed, err := url.Parse(text)
	if err != nil || len(text) > maxAvatar || parsed.Scheme != "https" || parsed.Hostname() == "" || parsed.User != nil {
		return ""
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.Trim(parsed.Host, hostCharacters) != "" {
		return ""
	}
	return text
}

const hostCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:[]-"
