// Package geoip reads where addresses are from the operator's MaxMind files (MMDB 2.0), such
// as GeoLite2-City and GeoLite2-ASN. A file that is replaced is read anew.
package geoip

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oschwald/maxminddb-golang/v2"

	"gatehouse.internal/domain/risk"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/signin"
)

// lookEvery is how often files are looked at for changes.
const lookEvery = 10 * time.Second

// Places is what one or several files say together. Without a file nothing is known.
type Places struct {
	files []*file
}

var _ signin.Places = (*Places)(nil)

// Open reads files. It fails for one that is no MaxMind file.
func Open(paths []string, clock outbound.Clock, log *slog.Logger) (*Places, error) {
	p := &Places{}
	var wrong error
	for _, path := range paths {
		one := &file{path: path, clock: clock, log: log}
		if err := one.load(); err != nil {
			wrong = errors.Join(wrong, err)
		}
		p.files = append(p.files, one)
	}
	return p, wrong
}

// entry is what files of MaxMind tell of an address, as far as it is read.
type entry struct {
	Country struct {
		Code string `maxminddb:"iso_code"`
	} `maxminddb:"country"`
	Location struct {
		Latitude  *float64 `maxminddb:"latitude"`
		Longitude *float64 `maxminddb:"longitude"`
	} `maxminddb:"location"`
	ASN uint32 `maxminddb:"autonomous_system_number"`
}

// Place returns what the files know of an address; of two that know something, the first is believed.
func (p *Places) Place(address netip.Addr) risk.Place {
	var place risk.Place
	if !address.IsValid() {
		return place
	}
	for _, one := range p.files {
		found := one.find(address.Unmap().WithZone(""))
		if place.Country == "" {
			place.Country = found.Country.Code
		}
		if place.ASN == 0 {
			place.ASN = found.ASN
		}
		if at := found.Location; !place.Located && at.Latitude != nil && at.Longitude != nil {
			place.Located, place.Latitude, place.Longitude = true, *at.Latitude, *at.Longitude
		}
	}
	return place
}

// Known reports whether there are any files.
func (p *Places) Known() bool { return len(p.files) > 0 }

// file is one file. It is kept in memory: one that is written over in place, rather than
// replaced, would else fail under whoever reads it.
type file struct {
	path   string
	clock  outbound.Clock
	log    *slog.Logger
	reader atomic.Pointer[maxminddb.Reader]
	looked atomic.Int64

	loading sync.Mutex
	state   os.FileInfo
}

// find reads what the file says of an address. What cannot be read is not known.
func (f *file) find(address netip.Addr) entry {
	f.look()
	var found entry
	if reader := f.reader.Load(); reader != nil {
		if err := reader.Lookup(address).Decode(&found); err != nil {
			return entry{}
		}
	}
	return found
}

// look reads the file anew where it was replaced. Whoever finds that it is time does so;
// the others go on with what there is.
func (f *file) look() {
	now, last := f.clock.Now().UnixNano(), f.looked.Load()
	if now-last < int64(lookEvery) || !f.looked.CompareAndSwap(last, now) {
		return
	}
	if err := f.load(); err != nil {
		f.log.Error("failed to read the GeoIP file: still using the previous one", "error", err)
	}
}

// load reads the file, unless it is the one that was read.
func (f *file) load() error {
	f.loading.Lock()
	defer f.loading.Unlock()
	f.looked.Store(f.clock.Now().UnixNano())
	state, err := os.Stat(f.path)
	if err != nil {
		return fmt.Errorf("find the GeoIP file: %w", err)
	}
	if f.state != nil && os.SameFile(state, f.state) && state.ModTime().Equal(f.state.ModTime()) && state.Size() == f.state.Size() {
		return nil
	}
	content, err := os.ReadFile(f.path)
	if err != nil {
		return fmt.Errorf("read the GeoIP file: %w", err)
	}
	reader, err := maxminddb.OpenBytes(content)
	if err != nil {
		return fmt.Errorf("read %s as a MaxMind file: %w", f.path, err)
	}
	f.state = state
	f.reader.Store(reader)
	return nil
}
