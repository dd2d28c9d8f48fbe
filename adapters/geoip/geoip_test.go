package geoip_test

import (
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"

	"gatehouse.internal/adapters/geoip"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/risk"
)

// write makes a file of networks and what it tells of each.
func write(t *testing.T, path string, networks map[string]mmdbtype.Map) {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "Test", IncludeReservedNetworks: true})
	if err != nil {
		t.Fatal(err)
	}
	for cidr, record := range networks {
		_, network, err := net.ParseCIDR(cidr)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Insert(network, record); err != nil {
			t.Fatal(err)
		}
	}
	made, err := os.CreateTemp(filepath.Dir(path), "made")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.WriteTo(made); err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(made.Name(), path); err != nil {
		t.Fatal(err)
	}
}

func city(country string, latitude, longitude float64) mmdbtype.Map {
	return mmdbtype.Map{
		"country":  mmdbtype.Map{"iso_code": mmdbtype.String(country)},
		"location": mmdbtype.Map{"latitude": mmdbtype.Float64(latitude), "longitude": mmdbtype.Float64(longitude)},
	}
}

func open(t *testing.T, paths ...string) *geoip.Places {
	t.Helper()
	places, err := geoip.Open(paths, system.Clock{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return places
}

func wants(t *testing.T, places *geoip.Places, want map[string]risk.Place) {
	t.Helper()
	for address, place := range want {
		if got := places.Place(netip.MustParseAddr(address)); got != place {
			t.Errorf("%s is at %+v, want %+v", address, got, place)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	cities, networks := filepath.Join(t.TempDir(), "city.mmdb"), filepath.Join(t.TempDir(), "asn.mmdb")
	write(t, cities, map[string]mmdbtype.Map{
		"192.0.2.0/24": city("DE", 52.5, 13.4), "2001:db8::/32": city("AU", -33.9, 151.2),
		"198.51.100.0/24": {"country": mmdbtype.Map{"iso_code": mmdbtype.String("FR")}},
	})
	write(t, networks, map[string]mmdbtype.Map{"192.0.0.0/16": {"autonomous_system_number": mmdbtype.Uint32(64500)}})
	berlin := risk.Place{Country: "DE", ASN: 64500, Located: true, Latitude: 52.5, Longitude: 13.4}
	wants(t, open(t, cities, networks), map[string]risk.Place{
		"192.0.2.7": berlin, "::ffff:192.0.2.7": berlin, "192.0.3.7": {ASN: 64500}, "198.51.100.7": {Country: "FR"},
		"2001:db8::7": {Country: "AU", Located: true, Latitude: -33.9, Longitude: 151.2}, "203.0.113.7": {},
	})
	wants(t, open(t, networks, cities), map[string]risk.Place{"192.0.2.7": berlin})
	wants(t, open(t), map[string]risk.Place{"192.0.2.7": {}})
	if got := open(t, cities).Place(netip.Addr{}); got != (risk.Place{}) {
		t.Errorf("no address is at %+v", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text.mmdb")
	if err := os.WriteFile(text, []byte("no such file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, filepath.Join(t.TempDir(), "absent.mmdb"), t.TempDir()} {
		if _, err := geoip.Open([]string{path}, system.Clock{}, nil); err == nil {
			t.Errorf("%s is opened", path)
		}
	}
}
