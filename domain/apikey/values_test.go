package apikey_test

import (
	"net/netip"
	"regexp"
	"slices"
	"testing"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/fault"
)

func TestNetworks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ texts, want []string }{
		"an address":              {[]string{"192.0.2.7"}, []string{"192.0.2.7/32"}},
		"a v6 address":            {[]string{"2001:DB8:0::1"}, []string{"2001:db8::1/128"}},
		"a network":               {[]string{"192.0.2.0/24"}, []string{"192.0.2.0/24"}},
		"host bits":               {[]string{"192.0.2.7/24", "2001:db8::1/64"}, []string{"192.0.2.0/24", "2001:db8::/64"}},
		"a mapped address":        {[]string{"::ffff:192.0.2.7"}, []string{"192.0.2.7/32"}},
		"a mapped network":        {[]string{"::ffff:192.0.2.7/120"}, []string{"192.0.2.0/24"}},
		"each once":               {[]string{"192.0.2.7/24", "192.0.2.0/24", "192.0.2.9/24"}, []string{"192.0.2.0/24"}},
		"everything":              {[]string{"0.0.0.0/0", "::/0"}, []string{"0.0.0.0/0", "::/0"}},
		"none":                    {[]string{}, []string{}},
		"the order stays":         {[]string{"203.0.113.1", "192.0.2.1"}, []string{"203.0.113.1/32", "192.0.2.1/32"}},
		"one that holds the next": {[]string{"192.0.2.0/24", "192.0.2.1"}, []string{"192.0.2.0/24", "192.0.2.1/32"}},
	} {
		got, err := apikey.Networks(c.texts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []netip.Prefix{}
		for _, text := range c.want {
			want = append(want, netip.MustParsePrefix(text))
		}
		if !slices.Equal(got, want) || got == nil {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got, err := apikey.Networks(nil); got != nil || err != nil {
		t.Errorf("no list gives %v, %v", got, err)
	}
}

func TestNetworksRefuse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "everywhere", "192.0.2", "192.0.2.1/33", "192.0.2.1/", "192.0.2.1/24 ", "192.0.2.1/024", "fe80::1%eth0", "fe80::1%eth0/64",
		"::ffff:0:0/90", "192.0.2.256", "example.com", "192.0.2.1-192.0.2.9",
	} {
		got, err := apikey.Networks([]string{"192.0.2.1", text})
		failure := fault.From(err)
		if err == nil || got != nil || failure.Code != fault.Validation || failure.Fields[0].Path != "/allowed_ips/1" {
			t.Errorf("%q gives %v, %v", text, got, err)
		}
	}
	many := make([]string, apikey.MaxNetworks+1)
	for i := range many {
		many[i] = netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}).String()
	}
	if _, err := apikey.Networks(many[1:]); err != nil {
		t.Errorf("50 networks: %v", err)
	}
	if _, err := apikey.Networks(many); err == nil || fault.From(err).Fields[0].Path != "/allowed_ips" {
		t.Errorf("51 networks: %v", err)
	}
}

func FuzzNetworks(f *testing.F) {
	for _, seed := range []string{"192.0.2.7", "::ffff:1.2.3.4/100", "2001:db8::/32", "fe80::1%a/64", "1.2.3.4/0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := apikey.Networks([]string{text})
		if err != nil {
			return
		}
		again, err := apikey.Networks([]string{got[0].String()})
		if err != nil || again[0] != got[0] || got[0].Masked() != got[0] || got[0].Addr().Is4In6() || got[0].Addr().Zone() != "" {
			t.Errorf("%q is read as %v, and that as %v, %v", text, got, again, err)
		}
	})
}

func TestBeginningTakesNoWholeKey(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(apikey.Prefix("").SchemaFragment()["pattern"].(string))
	for begin, want := range map[string]bool{
		"ak_live_": true, "ak_live_4fQz": true, "ak_live_4fQz1": false, "sk_live_4fQz": false, "4fQz": false, string(text(0)): false,
	} {
		if pattern.MatchString(begin) != want {
			t.Errorf("%q is taken: %t", begin, !want)
		}
	}
}
