package email

import "strings"

// Hint returns the address masked except for the first characters of the mailbox and of
// the domain, and the top-level domain: recognizable for its owner only.
func (a Address) Hint() string {
	local, domain, _ := strings.Cut(a.text, "@")
	dot := strings.LastIndexByte(domain, '.')
	if local == "" || dot < 1 {
		return ""
	}
	return first(local) + "***@" + first(domain) + "***" + domain[dot:]
}

func first(text string) string { return string([]rune(text)[:1]) }
