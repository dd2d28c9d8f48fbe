package registration

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

const (
	// logosMost bounds how many logos are cached; each has at most 256 KiB.
	logosMost = 32
	// logoFetchesMost bounds how many logos are fetched at a time.
	logoFetchesMost = 8
	// keepLogo is the minimum time that a logo is cached, and keepFailure how long a failed
	// fetch is.
	keepLogo    = 10 * time.Minute
	keepFailure = time.Minute
)

// Errors of logos.
var (
	errNoLogo  = fault.New(fault.NotFound, "the app has no logo")
	errLogos   = fault.New(fault.RateLimited, "too many logos are being fetched: try again in 1 second")
	errLogoOff = errors.New("the fetch of a logo panicked")
)

// Logos serves the logos of apps, so that pages show them without a request to another
// site.
//
// # Decision: only logos that a member of a workspace registered
//
// Context: an app that registered itself, or is described by a document, chooses name
// and logo freely, and could look like another one.
//
// Choice: such an app has no logo. What is fetched is the address that is registered
// for an app at that moment, never one from the request.
//
// What would change our mind: a way to verify who runs such an app.
type Logos struct {
	Clients machines.Clients
	Fetcher outbound.PictureFetcher
	Clock   outbound.Clock
	Logger  *slog.Logger

	mu       sync.Mutex
	kept     map[string]*logo
	fetching int
}

var _ inbound.Logos = (*Logos)(nil)

// logo is one fetch; done is closed once the rest is set.
type logo struct {
	done    chan struct{}
	picture outbound.Picture
	until   time.Time
	err     error
}

// Logo returns the logo of an app by its client_id.
func (l *Logos) Logo(ctx context.Context, clientID string) (outbound.Picture, error) {
	if !app.ValidSlug(clientID) {
		return outbound.Picture{}, errNoLogo
	}
	found, err := l.Clients.BySlug(ctx, clientID, "")
	switch {
	case errors.Is(err, app.ErrNotFound):
		return outbound.Picture{}, errNoLogo
	case err != nil:
		return outbound.Picture{}, err
	case found.App.Logo() == "":
		return outbound.Picture{}, errNoLogo
	}
	one, err := l.take(ctx, found.App.Logo())
	if err != nil {
		return outbound.Picture{}, err
	}
	select {
	case <-one.done:
		return one.picture, one.err
	case <-ctx.Done():
		return outbound.Picture{}, ctx.Err()
	}
}

// take returns a cached logo, or begins to fetch it.
func (l *Logos) take(ctx context.Context, address string) (*logo, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one, known := l.kept[address]; known && one.usable(l.Clock.Now()) {
		return one, nil
	}
	if l.fetching >= logoFetchesMost {
		return nil, errLogos
	}
	if l.kept == nil || len(l.kept) >= logosMost {
		l.kept = map[string]*logo{}
	}
	one := &logo{done: make(chan struct{}), err: errLogoOff}
	l.kept[address] = one
	l.fetching++
	go l.fetch(context.WithoutCancel(ctx), address, one)
	return one, nil
}

// usable reports whether a logo is cached at a time, or being fetched.
func (o *logo) usable(now time.Time) bool {
	select {
	case <-o.done:
		return now.Before(o.until)
	default:
		return true
	}
}

// fetch fetches a logo for all who wait for it.
func (l *Logos) fetch(ctx context.Context, address string, one *logo) {
	defer func() {
		_ = recover() // one.err says so
		close(one.done)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.fetching--
	}()
	picture, err := l.Fetcher.Picture(ctx, address)
	if err != nil {
		l.Logger.WarnContext(ctx, "failed to fetch the logo of an app", "address", address, "cause", err)
		one.err, one.until = errNoLogo, l.Clock.Now().Add(keepFailure)
		return
	}
	one.picture, one.until, one.err = picture, l.Clock.Now().Add(max(picture.Keep, keepLogo)), nil
}
