package email

import "strings"

// Hint shows an address to whoever knows it, and as little as that takes to anybody
// else: the first character of the mailbox and of the domain, and what follows the
// last dot.
func (a Address) Hint() string {
	local, domain, _ := strings.Cut(a.text, "@")
	dot := strings.LastIndexByte(domain, '.')
	if local == "" || dot < 1 {
		return ""
	}
	return first(local) + "***@" + first(domain) + "***" + domain[dot:]
}

func first(text string) string { return string([]rune(text)[:1]) }
