package contract

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/delegation"
	"gatehouse.internal/ports/outbound/ops"
)

// Grants checks delegation.Grants.
func Grants(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.grantsRoundTrip)
	t.Run("redeems a code once", w.grantsRace)
	t.Run("lists those of an app for a person", w.grantsOf)
	t.Run("goes with the person", w.grantsOrphan)
}

func (w *world) authorization(t *testing.T, name string) oauth.Authorization {
	t.Helper()
	person, org := w.owner(t, name+"@example.com")
	return oauth.Authorization{
		AppID: w.app(t, name), UserID: person, OrgID: org, SessionID: like(w, session.ID("")), Subject: "pairwise of " + name, Scopes: []string{"openid", "profile"},
		Resources: []string{"https://api.example.com"}, Offline: true, AuthTime: noon(), AMR: []string{"pwd", "otp"}, ACR: "urn:gatehouse:acr:2",
		Nonce: "n-0S6_WzA2Mj", Claims: `{"userinfo":{"email":null}}`, JKT: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I", Met: 7, OwnerMet: 1 << 40,
	}
}

// granted stores a grant and returns it as it was read back.
func (w *world) granted(t *testing.T, g *oauth.Grant) *oauth.Grant {
	t.Helper()
	var found *oauth.Grant
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		if err := tx.Grants.Save(ctx, g); err != nil {
			return err
		}
		found, err = tx.Grants.ByID(ctx, g.ID())
		return err
	})
	return found
}

func (w *world) delegated(to oauth.Authorization) *oauth.Grant {
	return oauth.Issue(like(w, oauth.GrantID("")), to, oauth.Code{Digest: "code", RedirectURI: "https://app.example.com/cb", Challenge: "E9Mel"}, noon())
}

func lives() oauth.Lifetimes { return oauth.Lifetimes{Idle: time.Hour, Absolute: 24 * time.Hour} }

func (w *world) grantsRoundTrip(t *testing.T) {
	g := w.delegated(w.authorization(t, "granted"))
	equal(t, "the grant", w.granted(t, g).Snapshot(), g.Snapshot())
	is(t, "the redemption", g.Redeem(lives(), "first", "", noon().Add(time.Second)), nil)
	is(t, "the rotation", g.Rotate("first", "second", 0, noon().Add(time.Minute)), nil)
	equal(t, "the grant redeemed", w.granted(t, g).Snapshot(), g.Snapshot())
	g.End(oauth.ByConsent, noon().Add(time.Hour))
	equal(t, "the grant ended", w.granted(t, g).Snapshot(), g.Snapshot())
	of := w.authorization(t, "exchanged")
	exchanged := oauth.Exchange(like(w, oauth.GrantID("")), g.ID(), of, noon().Add(time.Minute), noon())
	equal(t, "the grant of an exchange", w.granted(t, exchanged).Snapshot(), exchanged.Snapshot())
	w.fails(t, oauth.ErrGrantNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Grants.ByID(ctx, like(w, oauth.GrantID("")))
		return err
	})
}

func (w *world) grantsRace(t *testing.T) {
	one := w.granted(t, w.delegated(w.authorization(t, "raced")))
	other := oauth.RestoreGrant(one.Snapshot(), one.Version())
	for _, copied := range []*oauth.Grant{one, other} {
		is(t, "the redemption of a copy", copied.Redeem(lives(), "first", "", noon()), nil)
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Grants.Save(ctx, one) })
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Grants.Save(ctx, other) })
}

func (w *world) grantsOf(t *testing.T) {
	to := w.authorization(t, "listed")
	first, ended := w.granted(t, w.delegated(to)), w.granted(t, w.delegated(to))
	ended.End(oauth.ByClient, noon().Add(time.Hour))
	w.granted(t, ended)
	gone := to
	gone.SessionID, gone.Offline = "ses_01jd7x9k2mf3q8v5t0abcdefgh", false
	w.granted(t, w.delegated(gone))
	to.AppID = w.app(t, "listed-other")
	other := w.granted(t, w.delegated(to))
	w.do(t, func(ctx context.Context, tx Repos) error {
		held, err := tx.Grants.Matching(ctx, delegation.GrantQuery{User: to.UserID, App: first.Snapshot().AppID, Limit: 10, Now: noon()})
		equal(t, "how many there are of an app", len(held), 1)
		equal(t, "the grant", held[0].ID(), first.ID())
		is(t, "the list", err, nil)
		for what, c := range map[string]struct {
			limit, want int
			now         time.Time
		}{
			"of all apps": {10, 2, noon()}, "at once": {1, 1, noon()}, "that have not expired": {10, 0, other.Snapshot().ExpiresAt},
		} {
			held, err := tx.Grants.Matching(ctx, delegation.GrantQuery{User: to.UserID, Limit: c.limit, Now: c.now})
			is(t, "the list "+what, err, nil)
			equal(t, "how many there are "+what, len(held), c.want)
		}
		return nil
	})
}

func (w *world) grantsOrphan(t *testing.T) {
	to := w.authorization(t, "orphaned")
	g := w.granted(t, w.delegated(to))
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.LoginMethods.Void(ctx, to.UserID, noon()) })
	w.fails(t, oauth.ErrGrantNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Grants.ByID(ctx, g.ID())
		return err
	})
	to.AppID = "0193c1a2-7b1e-7c3d-9a5f-0123456789ab"
	w.fails(t, aggregate.ErrBereft, func(ctx context.Context, tx Repos) error {
		err := tx.Grants.Save(ctx, w.delegated(to))
		if err == nil {
			return errors.New("it was stored without its app")
		}
		return err
	})
}

func (w *world) upkeepGrants(t *testing.T) {
	g := w.delegated(w.authorization(t, "purged-grant"))
	is(t, "the redemption", g.Redeem(lives(), "", "", noon()), nil)
	w.granted(t, g)
	g = w.delegated(w.authorization(t, "purged-code"))
	w.granted(t, g)
	w.dueAt(t, ops.PurgeGrants, noon().Add(oauth.CodeLife+7*24*time.Hour))
}

// GrantTurns checks delegation.GrantTurns.
func GrantTurns(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("issues and uses", w.turnsRoundTrip)
	t.Run("issues nothing without what it comes from", w.turnsBereft)
	t.Run("issues nothing by what is being ended", w.turnsEnding)
	t.Run("refuses a stale copy", w.turnsStale)
	t.Run("keeps to the transaction of a command", w.turnsWithin)
	t.Run("stores many at once", w.turnsMany)
}

// signedIn is an authorization in a session that is there, with a consent to it.
func (w *world) signedIn(t *testing.T, name string) (oauth.Authorization, *oauth.ConsentSnapshot) {
	t.Helper()
	to := w.authorization(t, name)
	to.SessionID = w.session(t, w.begin(to.UserID, to.OrgID, noon())).ID()
	consent := oauth.Agree(to.UserID, to.AppID, to.OrgID, to.Scopes, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Consents.Save(ctx, consent) })
	agreed := consent.Snapshot()
	return to, &agreed
}

// kept is a grant as it is stored.
func (w *world) kept(t *testing.T, id oauth.GrantID) *oauth.Grant {
	t.Helper()
	var found *oauth.Grant
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.Grants.ByID(ctx, id)
		return err
	})
	return found
}

func (w *world) turnsRoundTrip(t *testing.T) {
	to, agreed := w.signedIn(t, "turned")
	for _, consent := range []*oauth.ConsentSnapshot{nil, agreed} {
		g := w.delegated(to)
		var recorder event.Recorder
		ctx := event.WithRecorder(t.Context(), &recorder)
		is(t, "the issue", w.store.GrantTurns.Issue(ctx, g, consent), nil)
		equal(t, "what was issued", w.kept(t, g.ID()).Snapshot(), g.Snapshot())
		is(t, "the redemption", g.Redeem(lives(), "first", "", noon().Add(time.Second)), nil)
		is(t, "its storing", w.store.GrantTurns.Store(ctx, g), nil)
		equal(t, "what was redeemed", w.kept(t, g.ID()).Snapshot(), g.Snapshot())
		is(t, "the rotation", g.Rotate("first", "second", 0, noon().Add(time.Minute)), nil)
		is(t, "its storing", w.store.GrantTurns.Store(ctx, g), nil)
		stored := w.kept(t, g.ID())
		equal(t, "what was rotated", stored.Snapshot(), g.Snapshot())
		equal(t, "the version of the copy", g.Version(), stored.Version())
		equal(t, "what was recorded", recorder.Kinds, []event.Kind{oauth.KindCodeIssued, oauth.KindTokenIssued, oauth.KindTokenIssued})
	}
	events, err := w.store.AuditTrail.Search(t.Context(), outbound.AuditQuery{User: to.UserID})
	is(t, "the search", err, nil)
	kinds := map[event.Kind]int{}
	for _, one := range events {
		kinds[one.Kind]++
	}
	equal(t, "the events of both", []int{kinds[oauth.KindCodeIssued], kinds[oauth.KindTokenIssued]}, []int{2, 4})
}

func (w *world) turnsBereft(t *testing.T) {
	to, agreed := w.signedIn(t, "bereft-turn")
	refused := func(what string, to oauth.Authorization, agreed *oauth.ConsentSnapshot) {
		t.Helper()
		g := w.delegated(to)
		is(t, what, w.store.GrantTurns.Issue(t.Context(), g, agreed), aggregate.ErrConflict)
		w.fails(t, oauth.ErrGrantNotFound, func(ctx context.Context, tx Repos) error {
			_, err := tx.Grants.ByID(ctx, g.ID())
			return err
		})
	}
	without := to
	without.SessionID = like(w, session.ID(""))
	refused("no session", without, agreed)
	without = to
	without.AppID = "0193c1a2-7b1e-7c3d-9a5f-0123456789ab"
	refused("no app", without, nil)
	older := *agreed
	older.GrantedAt = noon().Add(-time.Second)
	refused("another consent", to, &older)
	w.do(t, func(ctx context.Context, tx Repos) error {
		consent, err := tx.Consents.Get(ctx, to.UserID, to.AppID)
		if err != nil {
			return err
		}
		consent.Revoke()
		return tx.Consents.Remove(ctx, consent)
	})
	refused("no consent", to, agreed)
	held := w.stored(t, to.SessionID)
	held.End("test", noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Sessions.Save(ctx, held) })
	refused("an ended session", to, nil)
}

// turnsEnding issues while a unit is about to revoke the consent. Where one connection writes, it
// waits for that as for any.
func (w *world) turnsEnding(t *testing.T) {
	if w.store.Writers == 1 {
		return
	}
	to, agreed := w.signedIn(t, "ending-turn")
	w.do(t, func(ctx context.Context, tx Repos) error {
		if _, err := tx.Consents.Get(ctx, to.UserID, to.AppID); err != nil {
			return err
		}
		is(t, "the issue by it", w.store.GrantTurns.Issue(t.Context(), w.delegated(to), agreed), aggregate.ErrConflict)
		return nil
	})
	is(t, "the issue afterwards", w.store.GrantTurns.Issue(t.Context(), w.delegated(to), agreed), nil)
}

func (w *world) turnsStale(t *testing.T) {
	one := w.granted(t, w.delegated(w.authorization(t, "stale-turn")))
	other := oauth.RestoreGrant(one.Snapshot(), one.Version())
	for _, copied := range []*oauth.Grant{one, other} {
		is(t, "the redemption of a copy", copied.Redeem(lives(), "first", "", noon()), nil)
	}
	is(t, "storing one", w.store.GrantTurns.Store(t.Context(), one), nil)
	var recorder event.Recorder
	err := w.store.GrantTurns.Store(event.WithRecorder(t.Context(), &recorder), other)
	is(t, "storing the stale one", err, aggregate.ErrConflict)
	equal(t, "what was recorded of it", len(recorder.Kinds), 0)
	equal(t, "that it keeps its events", other.Changed(), true)
}

func (w *world) turnsWithin(t *testing.T) {
	to, agreed := w.signedIn(t, "within-turn")
	for _, keep := range []bool{false, true} {
		g := w.delegated(to)
		err := w.store.Within(t.Context(), func(ctx context.Context) bool {
			is(t, "the issue", w.store.GrantTurns.Issue(ctx, g, agreed), nil)
			is(t, "the redemption", g.Redeem(lives(), "first", "", noon()), nil)
			is(t, "its storing", w.store.GrantTurns.Store(ctx, g), nil)
			return keep
		})
		is(t, "the command", err, nil)
		var stored bool
		w.do(t, func(ctx context.Context, tx Repos) error {
			held, err := tx.Grants.Matching(ctx, delegation.GrantQuery{User: to.UserID, App: to.AppID, Limit: 10, Now: noon()})
			stored = len(held) == 1
			return err
		})
		equal(t, fmt.Sprintf("that it was stored, kept %t", keep), stored, keep)
	}
}

func (w *world) turnsMany(t *testing.T) {
	to, agreed := w.signedIn(t, "many-turns")
	made := make([]*oauth.Grant, 40)
	var working sync.WaitGroup
	for i := range made {
		made[i] = w.delegated(to)
		working.Go(func() {
			is(t, "the issue", w.store.GrantTurns.Issue(t.Context(), made[i], agreed), nil)
			is(t, "the redemption", made[i].Redeem(lives(), "first", "", noon()), nil)
			is(t, "its storing", w.store.GrantTurns.Store(t.Context(), made[i]), nil)
		})
	}
	working.Wait()
	for _, g := range made {
		equal(t, "what is stored", w.kept(t, g.ID()).Snapshot(), g.Snapshot())
	}
}

// OAuthDevices checks delegation.Devices and delegation.DeviceDirectory.
func OAuthDevices(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.oauthDevicesRoundTrip)
	t.Run("lets one answer count", w.oauthDevicesRace)
	t.Run("gives a user code to one device", w.oauthDevicesCodes)
	t.Run("goes with person and app", w.oauthDevicesOrphan)
}

func (w *world) asking(of app.ID, user oauth.Digest) *oauth.Device {
	return oauth.StartDevice(like(w, oauth.DeviceID("")), oauth.DeviceRequest{
		AppID: of, Code: "code of " + user, User: user, Scopes: []string{"openid", "profile"}, Resource: "https://api.example.com", Nonce: "n-0S6_WzA2Mj",
		IP: "192.0.2.7", UserAgent: "TV/1.0",
	}, noon())
}

// waits stores a device and returns it as it was read back.
func (w *world) waits(t *testing.T, d *oauth.Device) *oauth.Device {
	t.Helper()
	var found *oauth.Device
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		if err := tx.OAuthDevices.Save(ctx, d); err != nil {
			return err
		}
		found, err = tx.OAuthDevices.ByID(ctx, d.Snapshot().ID)
		return err
	})
	return found
}

func (w *world) oauthDevicesRoundTrip(t *testing.T) {
	d := w.asking(w.app(t, "device-kept"), "kept")
	equal(t, "the device", w.waits(t, d).Snapshot(), d.Snapshot())
	is(t, "the first question", d.Poll(noon().Add(time.Second)), oauth.ErrPending)
	is(t, "the second question", d.Poll(noon().Add(2*time.Second)), oauth.ErrSlowDown)
	equal(t, "the device that asked", w.waits(t, d).Snapshot(), d.Snapshot())
	person, org := w.owner(t, "device-kept-person@example.com")
	is(t, "the answer", d.Approve(like(w, oauth.GrantID("")), oauth.Authorization{UserID: person, OrgID: org}, noon().Add(time.Minute)), nil)
	equal(t, "the device that was let in", w.waits(t, d).Snapshot(), d.Snapshot())
	found, err := w.store.OAuthDevices.ByUserCode(t.Context(), "kept")
	is(t, "the look-up", err, nil)
	equal(t, "what was found", found.DeviceSnapshot, d.Snapshot())
	equal(t, "its app", found.Slug, "device-kept")
	_, err = w.store.OAuthDevices.ByUserCode(t.Context(), "another")
	is(t, "the look-up of another", err, oauth.ErrUserCode)
	w.fails(t, oauth.ErrDeviceCode, func(ctx context.Context, tx Repos) error {
		_, err := tx.OAuthDevices.ByID(ctx, like(w, oauth.DeviceID("")))
		return err
	})
}

func (w *world) oauthDevicesRace(t *testing.T) {
	person, org := w.owner(t, "device-raced-person@example.com")
	one := w.waits(t, w.asking(w.app(t, "device-raced"), "raced"))
	other := oauth.RestoreDevice(one.Snapshot(), one.Version())
	is(t, "one answer", one.Approve(like(w, oauth.GrantID("")), oauth.Authorization{UserID: person, OrgID: org}, noon()), nil)
	is(t, "the other answer", other.Deny(person, org, noon()), nil)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.OAuthDevices.Save(ctx, one) })
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.OAuthDevices.Save(ctx, other) })
}

func (w *world) oauthDevicesCodes(t *testing.T) {
	of := w.app(t, "device-codes")
	w.waits(t, w.asking(of, "taken"))
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.OAuthDevices.Save(ctx, w.asking(of, "taken")) })
}

func (w *world) oauthDevicesOrphan(t *testing.T) {
	person, org := w.owner(t, "device-orphaned-person@example.com")
	of := w.app(t, "device-orphaned")
	d := w.waits(t, w.asking(of, "orphaned"))
	is(t, "the answer", d.Deny(person, org, noon()), nil)
	w.waits(t, d)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.LoginMethods.Void(ctx, person, noon()) })
	w.fails(t, oauth.ErrDeviceCode, func(ctx context.Context, tx Repos) error {
		_, err := tx.OAuthDevices.ByID(ctx, d.Snapshot().ID)
		return err
	})
	w.fails(t, aggregate.ErrBereft, func(ctx context.Context, tx Repos) error {
		return tx.OAuthDevices.Save(ctx, w.asking("0193c1a2-7b1e-7c3d-9a5f-0123456789ab", "without"))
	})
}

func (w *world) upkeepOAuthDevices(t *testing.T) {
	of := w.app(t, "device-purged")
	person, org := w.owner(t, "device-purged-person@example.com")
	w.waits(t, w.asking(of, "purged"))
	w.dueAt(t, ops.PurgeOAuthDevices, noon().Add(oauth.DeviceLife+time.Hour))
	d := w.asking(of, "purged-later")
	is(t, "the answer", d.Approve(like(w, oauth.GrantID("")), oauth.Authorization{UserID: person, OrgID: org}, noon()), nil)
	w.waits(t, d)
	w.dueAt(t, ops.PurgeOAuthDevices, noon().Add(oauth.DeviceLife+7*24*time.Hour))
}
