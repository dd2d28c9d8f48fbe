package redis

import (
	"context"
	"errors"
	"net"
	"net/url"
	"regexp"
	"strconv"

	"github.com/gomodule/redigo/redis"
)

var errURL = errors.New("not a URL such as redis://user:password@host:6379/0")

// standardPort is where a Redis listens that says nothing else.
const standardPort = "6379"

// address is where a Redis is, and how to speak to it.
type address struct {
	hostPort string
	options  []redis.DialOption
}

// parse reads a URL. Its error does not tell what stands in it.
func parse(text string) (address, error) {
	parsed, err := url.Parse(text)
	if err != nil || (parsed.Scheme != "redis" && parsed.Scheme != "rediss") ||
		parsed.Hostname() == "" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return address{}, errURL
	}
	database := 0
	if named := regexp.MustCompile(`^/(\d*)$`).FindStringSubmatch(parsed.Path); named != nil && named[1] != "" {
		database, err = strconv.Atoi(named[1])
	} else if named == nil && parsed.Path != "" {
		err = errURL
	}
	if err != nil {
		return address{}, errURL
	}
	port := parsed.Port()
	if port == "" {
		port = standardPort
	}
	password, _ := parsed.User.Password()
	return address{net.JoinHostPort(parsed.Hostname(), port), []redis.DialOption{
		redis.DialUsername(parsed.User.Username()), redis.DialPassword(password), redis.DialDatabase(database),
		redis.DialUseTLS(parsed.Scheme == "rediss"), redis.DialTLSHandshakeTimeout(dialTime),
		redis.DialConnectTimeout(dialTime), redis.DialReadTimeout(patience), redis.DialWriteTimeout(patience),
	}}, nil
}

// dial opens one connection.
func (a address) dial(ctx context.Context) (redis.Conn, error) {
	return redis.DialContext(ctx, "tcp", a.hostPort, a.options...)
}

// CheckURL fails for what is no address of a Redis.
func CheckURL(text string) error {
	_, err := parse(text)
	return err
}
