package generate

import (
	"strings"
	"unicode"
)

// spelled returns a word that names in the catalog are made of in the spelling of Go names.
func spelled(word string) string {
	known := map[string]string{
		"acr": "ACR", "amr": "AMR", "api": "API", "apikey": "APIKey", "cidr": "CIDR", "cpu": "CPU", "css": "CSS", "csv": "CSV", "dns": "DNS", "dpop": "DPoP", "html": "HTML", "http": "HTTP", "https": "HTTPS",
		"id": "ID", "ids": "IDs", "ip": "IP", "ips": "IPs", "json": "JSON", "jwk": "JWK", "jwks": "JWKS", "jwt": "JWT", "jti": "JTI", "jkt": "JKT", "m2m": "M2M", "mfa": "MFA", "ms": "MS",
		"oauth": "OAuth", "otpauth": "OTPAuth", "pdf": "PDF", "pkce": "PKCE", "png": "PNG", "qr": "QR", "rpo": "RPO", "saml": "SAML", "scim": "SCIM", "sha256": "SHA256", "smtp": "SMTP", "sql": "SQL",
		"sms": "SMS", "sso": "SSO", "svg": "SVG", "totp": "TOTP", "ttl": "TTL", "uri": "URI", "uris": "URIs", "url": "URL", "urls": "URLs", "utc": "UTC", "uuid": "UUID", "vat": "VAT", "webauthn": "WebAuthn",
	}
	lower := strings.ToLower(word)
	if name, is := known[lower]; is {
		return name
	}
	return strings.ToUpper(lower[:1]) + lower[1:]
}

// goName returns a name of the catalog, such as USER.CHANGE_PASSWORD or user_id, as a Go name.
func goName(name string) string {
	var made strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		made.WriteString(spelled(word))
	}
	if made.Len() == 0 {
		return "Any" // the value *
	}
	return made.String()
}

// singular returns the name of one of many things.
func singular(name string) string {
	for _, ending := range []struct{ many, one string }{
		{"ies", "y"}, {"sses", "ss"}, {"shes", "sh"}, {"ches", "ch"}, {"xes", "x"}, {"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""},
	} {
		if begin, is := strings.CutSuffix(name, ending.many); is {
			return begin + ending.one
		}
	}
	return name
}

// listed returns what a command lists: key for KEY_LIST, member for LIST_MEMBERS, and nothing
// for LIST.
func listed(action string) string {
	var rest []string
	for word := range strings.SplitSeq(strings.ToLower(action), "_") {
		if word != "list" && word != "search" {
			rest = append(rest, word)
		}
	}
	return singular(strings.Join(rest, "_"))
}

// comment returns a text as a comment, wrapped.
func comment(indent, text string) string {
	const width = 100
	var lines []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line := indent + "//"
		for _, word := range strings.Fields(paragraph) {
			if len(line)+1+len(word) > width && line != indent+"//" {
				lines = append(lines, line)
				line = indent + "//"
			}
			line += " " + word
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n") + "\n"
}
