package risk

import (
	_ "embed"
	"strings"
	"sync"

	"gatehouse.internal/domain/email"
)

// disposableList has one domain on each line: those of the project
// disposable-email-domains (CC0), by its mirror disposable-email-domains 0.0.293 on PyPI.
//
//go:embed disposable.txt
var disposableList string

var disposable = sync.OnceValue(func() map[string]bool {
	domains := map[string]bool{}
	for domain := range strings.Lines(disposableList) {
		domains[strings.TrimSpace(domain)] = true
	}
	return domains
})

// isDisposable reports whether a domain, or one above it, gives away addresses that are
// thrown away.
func isDisposable(domain email.Domain) bool {
	for name, found := string(domain), true; found; _, name, found = strings.Cut(name, ".") {
		if disposable()[name] {
			return true
		}
	}
	return false
}
