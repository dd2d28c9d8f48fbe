package device

import (
	"regexp"
	"strings"
)

// mark is a word of user agents and what it stands for.
type mark struct{ word, name string }

// browsers stand in the order in which they must be asked: most claim to be
// others as well.
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

// Describe returns a short text by which a person knows a device again, as its user
// agent tells; empty when that tells neither browser nor system.
func Describe(userAgent string) string {
	if found := commandLine.FindStringSubmatch(userAgent); found != nil {
		return commandLineName + " " + found[1]
	}
	return Kind(userAgent)
}

// Kind returns what Describe returns without a version: a client stays the same one when it
// is updated.
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

// Parts returns the browser and the system that a user agent tells, each empty where it does
// not, and what kind of device that is: mobile, desktop or other.
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
