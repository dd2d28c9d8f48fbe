package device

import (
	"regexp"
	"strings"
)

// mark is a token in user agents and the product it identifies.
type mark struct{ word, name string }

// browsers are sorted so that more specific ones come first: most also claim to be
// others.
func browsers() []mark {
	return []mark{
		{"Edg", "Edge"},
		{"OPR/", "Opera"},
		{"SamsungBrowser/", "Samsung Internet"},
		{"FxiOS/", "Firefox"},
		{"Firefox/", "Firefox"},
		{"CriOS/", "Chrome"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
		{"curl/", "curl"},
		{"PostmanRuntime/", "Postman"},
	}
}

// systems likewise: Android calls itself Linux, and an iPhone is like Mac OS X.
func systems() []mark {
	return []mark{
		{"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Android", "Android"},
		{"Windows", "Windows"},
		{"CrOS", "ChromeOS"},
		{"Mac OS X", "macOS"},
		{"Linux", "Linux"},
	}
}

// commandLine is the user agent of our own command line, with its version.
var commandLine = regexp.MustCompile(`^gatehouse/([0-9A-Za-z.+-]{1,64})$`)

const commandLineName = "Gatehouse CLI"

// Describe returns a short description of a user agent; empty if neither browser nor
// system is recognized.
func Describe(userAgent string) string {
	if found := commandLine.FindStringSubmatch(userAgent); found != nil {
		return commandLineName + " " + found[1]
	}
	return Kind(userAgent)
}

// Kind is like Describe without the version, so that updates do not change the client.
func Kind(userAgent string) string {
	if commandLine.MatchString(userAgent) {
		return commandLineName
	}
	browser, system := named(browsers(), userAgent), named(systems(), userAgent)
	if browser == "" || system == "" {
		return browser + system
	}
	return browser + " on " + system
}

func named(marks []mark, userAgent string) string {
	for _, m := range marks {
		if strings.Contains(userAgent, m.word) {
			return m.name
		}
	}
	return ""
}

// Parts returns the browser and the system of a user agent, each empty if unknown, and
// the type of device: mobile, desktop or other.
func Parts(userAgent string) (browser, system, kind string) {
	browser, system, kind = named(browsers(), userAgent), named(systems(), userAgent), "other"
	switch system {
	case "iPhone", "iPad", "Android":
		kind = "mobile"
	case "Windows", "ChromeOS", "macOS", "Linux":
		kind = "desktop"
	}
	return browser, system, kind
}
