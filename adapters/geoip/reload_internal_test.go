package geoip

import (
	"bytes"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"

	"gatehouse.internal/adapters/system"
)

// countryFile makes a file that tells one country of all addresses.
func countryFile(t *testing.T, country string) []byte {
	t.Helper()
	whole := mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String(country)}}
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "Test", IncludeReservedNetworks: true, DisableIPv4Aliasing: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.InsertRange([]byte{1, 0, 0, 0}, []byte{223, 255, 255, 255}, whole); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := tree.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// A file that is replaced is read anew; one that is broken, or gone, leaves what was read.
func TestReload(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "country.mmdb")
	var log bytes.Buffer
	put := func(content []byte, age time.Duration) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	put(countryFile(t, "DE"), time.Hour)
	places, err := Open([]string{path}, system.Clock{}, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	is := func(want string) {
		t.Helper()
		if got := places.Place(netip.MustParseAddr("192.0.2.7")).Country; got != want {
			t.Errorf("the country is %q, want %q", got, want)
		}
	}
	late := func() { places.files[0].looked.Store(0) }
	is("DE")
	put(countryFile(t, "AU"), time.Minute)
	is("DE") // nobody has looked yet
	late()
	is("AU")
	put([]byte("broken"), time.Second)
	late()
	is("AU")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	late()
	is("AU")
	if n := strings.Count(log.String(), "failed to read the GeoIP file"); n != 2 {
		t.Errorf("%d complaints: %s", n, log.String())
	}
	put(countryFile(t, "FR"), 0)
	late()
	is("FR")
}
