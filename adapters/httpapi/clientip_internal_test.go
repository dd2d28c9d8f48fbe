package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestClient(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48"), netip.MustParsePrefix("::ffff:172.16.0.0/108"),
	}
	const peer = "10.0.0.1:1"
	cases := []struct {
		name, socket string
		hops         []string
		want         string
	}{
		{"direct", "203.0.113.5:9", nil, "203.0.113.5"},
		{"direct v6", "[2001:db8::5]:9", nil, "2001:db8::5"},
		{"mapped socket", "[::ffff:203.0.113.5]:9", nil, "203.0.113.5"},
		{"zone", "[fe80::1%eth0]:9", nil, "fe80::1"},
		{"untrusted peer is not believed", "203.0.113.5:9", []string{"198.51.100.1"}, "203.0.113.5"},
		{"trusted peer, no header", peer, nil, "10.0.0.1"},
		{"one hop", peer, []string{"198.51.100.1"}, "198.51.100.1"},
		{"right-most untrusted", peer, []string{"1.1.1.1, 198.51.100.1, 10.9.9.9"}, "198.51.100.1"},
		{"forged left part", peer, []string{"10.1.1.1, 6.6.6.6, 198.51.100.1"}, "198.51.100.1"},
		{"several lines", peer, []string{"6.6.6.6", "198.51.100.1, 10.2.2.2", "10.3.3.3"}, "198.51.100.1"},
		{"all trusted", peer, []string{"10.4.4.4, 10.5.5.5"}, "10.4.4.4"},
		{"all trusted in lines", peer, []string{"10.4.4.4", "10.5.5.5"}, "10.4.4.4"},
		{"garbage at once", peer, []string{"198.51.100.1, garbage"}, "10.0.0.1"},
		{"garbage further left", peer, []string{"198.51.100.1, unknown, 10.5.5.5"}, "10.5.5.5"},
		{"empty hop", peer, []string{"198.51.100.1,, 10.5.5.5"}, "10.5.5.5"},
		{"empty header", peer, []string{""}, "10.0.0.1"},
		{"trailing comma", peer, []string{"198.51.100.1,"}, "10.0.0.1"},
		{"spaces and tabs", peer, []string{" \t198.51.100.1\t "}, "198.51.100.1"},
		{"with a port", peer, []string{"198.51.100.1:4711"}, "198.51.100.1"},
		{"v6", peer, []string{"2001:db8::7"}, "2001:db8::7"},
		{"v6 in brackets", peer, []string{"[2001:db8::7]"}, "2001:db8::7"},
		{"v6 with a port", peer, []string{"[2001:db8::7]:4711"}, "2001:db8::7"},
		{"v4 in brackets", peer, []string{"[198.51.100.1]"}, "10.0.0.1"},
		{"open bracket", peer, []string{"[2001:db8::7"}, "10.0.0.1"},
		{"mapped hop", peer, []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"mapped trusted hop", peer, []string{"198.51.100.1, ::ffff:10.7.7.7"}, "198.51.100.1"},
		{"zone in a hop", peer, []string{"fe80::1%eth0"}, "fe80::1"},
		{"trusted v6 peer", "[2001:db8:1::9]:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"mapped trusted peer", "[::ffff:10.0.0.1]:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"mapped prefix", "172.20.0.1:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"outside the mapped prefix", "172.32.0.1:1", []string{"198.51.100.1"}, "172.32.0.1"},
		{"leading zeros", peer, []string{"198.051.100.1"}, "10.0.0.1"},
		{"a name", peer, []string{"localhost"}, "10.0.0.1"},
		{"quoted", peer, []string{`"198.51.100.1"`}, "10.0.0.1"},
		{"long", peer, []string{strings.Repeat("10.1.1.1,", 3000) + "198.51.100.1"}, "198.51.100.1"},
		{"unix socket", "@", []string{"198.51.100.1"}, "invalid IP"},
		{"no socket", "", nil, "invalid IP"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := &http.Request{RemoteAddr: c.socket, Header: http.Header{}}
			if c.hops != nil {
				r.Header["X-Forwarded-For"] = c.hops
			}
			if got := Clients(proxies)(r); got.String() != c.want {
				t.Errorf("client() = %v, want %v", got, c.want)
			}
		})
	}
}

func TestNobodyIsTrusted(t *testing.T) {
	t.Parallel()
	r := &http.Request{RemoteAddr: "127.0.0.1:1", Header: http.Header{"X-Forwarded-For": {"198.51.100.1"}}}
	if got := Clients(nil)(r); got.String() != "127.0.0.1" {
		t.Errorf("client() = %v", got)
	}
}
