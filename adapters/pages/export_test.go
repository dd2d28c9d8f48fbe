package pages

import "gatehouse.internal/domain/fault"

// Local is local.
func Local(target string) string { return local(target) }

// Patterns lists the routes that some audience may take, as METHOD /path.
func Patterns(persons bool) []string {
	var all []string
	for _, r := range routes() {
		if !persons || r.who == person {
			all = append(all, r.pattern)
		}
	}
	return all
}

// Sentence is sentence.
func Sentence(message string) string { return sentence(message) }

// Wording is wording.
func Wording(failure *fault.Error) string { return wording(failure) }

// Picture and Otpauth are what a page lets stand in it.
func Picture(address string) string { return string(picture(address)) }

// Otpauth is otpauth.
func Otpauth(address string) string { return string(otpauth(address)) }

// Pretty is pretty.
func Pretty(raw []byte) string { return string(pretty(raw)) }
