package config

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"gatehouse.internal/domain/setting"
)

// Errors of SERVICE_HOST.
var (
	errNoAddress = errors.New("SERVICE_HOST is not a valid URL: set it to the public URL, such as https://auth.example.com")
	errNoHost    = errors.New("SERVICE_HOST has an invalid host or port: set it to the public URL, such as https://auth.example.com or https://auth.example.com:8443")
	errNoPath    = errors.New("SERVICE_HOST has an unsupported path: use letters, digits, dots, dashes and underscores, such as https://example.com/auth")
	errOwnPath   = errors.New("SERVICE_HOST has a path that conflicts with a path of the service, such as /api or /oauth: choose a different path, such as https://example.com/auth")
)

// pathForm is the form of the path of SERVICE_HOST.
var pathForm = regexp.MustCompile(`^(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`)

// ownPaths are the first parts of the service's own paths. A reverse proxy may pass the path
// of SERVICE_HOST on or take it off: beneath one of these, the two could not be told apart.
func ownPaths() []string {
	return []string{
		"account", "api", "assets", "dev", "device", "docs", "health", "invitation", "login", "logout", "mcp", "metrics", "oauth", "ofrep", "pay", "recover",
		"signup", "verify",
	}
}

// normalizeHost puts SERVICE_HOST into the one form that browsers and clients compare with:
// a lower-case host in ASCII, no default port, and no slash at the end.
func (c *Config) normalizeHost() error {
	parsed, err := url.Parse(c.ServiceHost)
	if err != nil || (parsed.Scheme != "https" && parsed.Scheme != "http") || parsed.Host == "" ||
		parsed.User != nil || parsed.RawQuery != "" || parsed.ForceQuery || parsed.Fragment != "" {
		return errNoAddress
	}
	host, err := asciiHost(parsed.Hostname())
	origin := setting.Origin(parsed.Scheme, host, parsed.Port())
	if err != nil || !setting.ValidOrigin(origin) || strings.HasSuffix(parsed.Host, ":") {
		return errNoHost
	}
	path := strings.TrimRight(parsed.EscapedPath(), "/")
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case !pathForm.MatchString(path):
		return errNoPath
	case slices.Contains(ownPaths(), first):
		return errOwnPath
	}
	c.ServiceHost = origin + path
	return nil
}

// asciiHost returns a host in lower case, and in ASCII by IDNA. IPv6 addresses are put in
// brackets.
func asciiHost(name string) (string, error) {
	name = strings.ToLower(name)
	if strings.Contains(name, ":") {
		return "[" + name + "]", nil
	}
	if strings.IndexFunc(name, func(r rune) bool { return r > '\x7f' }) < 0 {
		return name, nil
	}
	return idna.Lookup.ToASCII(name)
}
