package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"
)

// connectTime is how long one host has to answer. Of several the next one is tried
// while whoever asks still waits: an admission does for 3 s.
const (
	connectTime       = 10 * time.Second
	connectTimeOfMany = time.Second
)

// ErrReadOnly says that an address asks for servers that cannot be written to.
var ErrReadOnly = errors.New("target_session_attrs requires a read-only server")

// readAddress reads a URL or the key=value form. Of several hosts the first one that
// can be written to is meant, unless the address says otherwise.
func readAddress(dsn string) (pq.Config, error) {
	dsn, err := withHosts(dsn)
	if err != nil {
		return pq.Config{}, err
	}
	config, err := pq.NewConfig(dsn)
	if err != nil {
		return pq.Config{}, withoutAddress(err)
	}
	timeout := connectTime
	if len(config.Multi) > 0 {
		timeout = connectTimeOfMany
		config.TargetSessionAttrs = cmp.Or(config.TargetSessionAttrs, pq.TargetSessionAttrsReadWrite)
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, timeout)
	unfit := []pq.TargetSessionAttrs{pq.TargetSessionAttrsReadOnly, pq.TargetSessionAttrsStandby, pq.TargetSessionAttrsPreferStandby}
	if slices.Contains(unfit, config.TargetSessionAttrs) {
		return pq.Config{}, ErrReadOnly
	}
	return config, nil
}

// CheckURL fails for what is no address of a PostgreSQL database, or with ErrReadOnly.
func CheckURL(dsn string) error {
	_, err := readAddress(dsn)
	return err
}

// Hosts returns the names, addresses and socket directories that an address names;
// none for what is no address.
func Hosts(dsn string) []string {
	config, err := readAddress(dsn)
	if err != nil {
		return nil
	}
	hosts := []string{config.Host}
	for _, other := range config.Multi {
		hosts = append(hosts, other.Host)
	}
	return hosts
}

// withHosts rewrites libpq's form of a URL with several hosts, each with a port or
// without (postgres://h1:5432,h2/db), to the one that lib/pq reads, with host and port
// as parameters. Other addresses stay as they are.
func withHosts(dsn string) (string, error) {
	scheme, rest, ok := strings.Cut(dsn, "://")
	if !ok || scheme != "postgres" && scheme != "postgresql" {
		return dsn, nil
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	at := strings.LastIndexByte(authority, '@') + 1
	who, list := authority[:at], strings.Split(authority[at:], ",")
	if len(list) == 1 {
		return dsn, nil
	}
	address, err := url.Parse(scheme + "://" + who + rest)
	if err != nil {
		return "", withoutAddress(err)
	}
	hosts, ports, err := splitHosts(list)
	if err != nil {
		return "", err
	}
	query := address.Query()
	if query.Has("host") || query.Has("hostaddr") || query.Has("port") {
		return "", errors.New("hosts are given both before the path and in the parameters")
	}
	query.Set("host", strings.Join(hosts, ","))
	if slices.ContainsFunc(ports, func(port string) bool { return port != "" }) {
		for i := range ports {
			ports[i] = cmp.Or(ports[i], "5432")
		}
		query.Set("port", strings.Join(ports, ","))
	}
	return scheme + "://" + who + address.EscapedPath() + "?" + query.Encode(), nil
}

// splitHosts parts hosts from their ports, "" where there is none.
func splitHosts(list []string) (hosts, ports []string, err error) {
	for i, one := range list {
		parsed, err := url.Parse("postgres://" + one)
		if err != nil || parsed.Host != one || parsed.Hostname() == "" || one[0] != '[' && strings.Count(one, ":") > 1 {
			return nil, nil, fmt.Errorf("host %d of %d is malformed", i+1, len(list))
		}
		hosts, ports = append(hosts, parsed.Hostname()), append(ports, parsed.Port())
	}
	return hosts, ports, nil
}

// withoutAddress leaves the address out of an error: it holds the password.
func withoutAddress(err error) error {
	if malformed, ok := errors.AsType[*url.Error](err); ok {
		return malformed.Err
	}
	return err
}
