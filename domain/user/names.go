package user

import "strings"

// GivenName returns the display name without its last word, or all of it if it has only
// one word.
func (s Snapshot) GivenName() string {
	given, _ := s.names()
	return given
}

// FamilyName returns the last word of a display name of several words; empty for one.
func (s Snapshot) FamilyName() string {
	_, family := s.names()
	return family
}

func (s Snapshot) names() (given, family string) {
	words := strings.Fields(s.DisplayName)
	if len(words) < 2 { //nolint:mnd // a given name and a family name
		return s.DisplayName, ""
	}
	last := len(words) - 1
	return strings.Join(words[:last], " "), words[last]
}

// Username returns the verified address, which nobody else can have; empty while it is
// not verified.
func (s Snapshot) Username() string {
	if !s.EmailVerified {
		return ""
	}
	return s.Email.String()
}
