package device

import "strings"

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

// Describe gives a short text by which a person knows a device again, as its user agent
// tells; empty when that tells neither browser nor system.
func Describe(userAgent string) string {
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
