package risk

import (
	_ "embed"
	"strings"

	"gatehouse.internal/domain/email"
)

// disposableList has one domain on each line but the first.
//
//go:embed disposable.txt
var disposableList string

// isDisposable reports whether a domain, or a parent of it, provides disposable
// addresses.
func isDisposable(domain email.Domain) bool {
	for name, found := string(domain), true; found; _, name, found = strings.Cut(name, ".") {
		if name != "" && strings.Contains(disposableList, "\n"+name+"\n") {
			return true
		}
	}
	return false
}
