package pages

import "gatehouse.internal/domain/fault"

func Local(target string) string { return local(target) }

// Patterns lists the routes as METHOD /path; with persons, those that require a login.
func Patterns(persons bool) []string {
	var all []string
	for _, r := range routes() {
		if !persons || r.who == person {
			all = append(all, r.pattern)
		}
	}
	return all
}

func Sentence(message string) string { return sentence(message) }

func Wording(failure *fault.Error) string { return wording(failure) }

func Picture(address string) string { return string(picture(address)) }

func Otpauth(address string) string { return string(otpauth(address)) }

func Pretty(raw []byte) string { return string(pretty(raw)) }
