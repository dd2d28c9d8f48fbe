package pages

import (
	"gatehouse.internal/adapters/pages/development"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/fault"
)

func Local(target string) string { return kit.Local(target) }

// Patterns lists the routes as METHOD /path; with persons, those that require a login.
func Patterns(persons bool) []string {
	var all []string
	for _, r := range append(routes(nil), root()) {
		if !persons || r.Who == kit.Person {
			all = append(all, r.Pattern)
		}
	}
	return all
}

func Sentence(message string) string { return kit.Sentence(message) }

func Wording(failure *fault.Error) string { return kit.Wording(failure) }

func Picture(address string) string { return string(kit.Picture(address)) }

func Otpauth(address string) string { return string(kit.Otpauth(address)) }

func Pretty(raw []byte) string { return string(development.Pretty(raw)) }
