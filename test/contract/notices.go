package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
)

// Notices checks people.Notices and people.NoticeDirectory.
func Notices(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("raises one with an event", w.noticesRaised)
	t.Run("tells no administrator", w.noticesByOthers)
	t.Run("raises none with an account, or of nobody", w.noticesSilent)
	t.Run("goes back with the event", w.noticesRollback)
	t.Run("asks for mail as its person wishes", w.noticesMailed)
	t.Run("tells what no event raises", w.noticesSent)
	t.Run("lists those of an owner", w.noticesListed)
	t.Run("marks them read", w.noticesRead)
	t.Run("keeps preferences", w.noticesPreferences)
	t.Run("goes with the account", w.noticesGone)
	t.Run("removes old ones", func(t *testing.T) { w.noticesPurged(t, open) })
}

// happen records events under an origin.
func (w *world) happen(t *testing.T, origin event.Origin, what ...event.Data) {
	t.Helper()
	ctx := event.WithOrigin(t.Context(), origin)
	if err := w.unit.Do(ctx, func(tx Repos) error { return tx.Events.Record(ctx, what...) }); err != nil {
		t.Fatal(err)
	}
}

// got lists the notices of a person.
func (w *world) got(t *testing.T, query people.NoticeQuery) []notice.Snapshot {
	t.Helper()
	found, err := w.store.NoticeDirectory.List(t.Context(), query)
	is(t, "the notices", err, nil)
	return found
}

func kindsOf(list []notice.Snapshot) []notice.Kind {
	kinds := []notice.Kind{}
	for _, one := range list {
		kinds = append(kinds, one.Kind)
	}
	return kinds
}

// mailed counts the notices that are to be mailed to a person.
func (w *world) mailed(t *testing.T, person user.ID) int {
	t.Helper()
	count := 0
	for _, one := range w.listMail(t, mailing.Query{Limit: 1000}) {
		if one.UserID == person && one.Template == mail.Notice {
			count++
		}
	}
	return count
}

func own(person user.ID) event.Origin {
	return event.Origin{ActorKind: "user", ActorID: person.String(), IP: "203.0.113.7", UserAgent: "curl/8.5\x00"}
}

func (w *world) noticesRaised(t *testing.T) {
	person := w.person(t, "raised@example.com").ID()
	w.happen(t, own(person), session.Refreshed{UserID: person}, credential.Changed{UserID: person}, session.ReuseDetected{UserID: person})
	got := w.got(t, people.NoticeQuery{Owner: person})
	events, err := w.store.AuditTrail.Search(t.Context(), outbound.AuditQuery{User: person, Kind: credential.Changed{}.Kind()})
	is(t, "the events", err, nil)
	equal(t, "the kinds", kindsOf(got), []notice.Kind{notice.ReuseDetected, notice.PasswordChanged})
	equal(t, "the notice", got[1], notice.Snapshot{
		ID: got[1].ID, UserID: person, Kind: notice.PasswordChanged, EventID: events[0].ID,
		IP: "203.0.113.7", UserAgent: "curl/8.5\uFFFD", CreatedAt: noon(),
	})
	equal(t, "the mails", w.mailed(t, person), 2)
}

func (w *world) noticesByOthers(t *testing.T) {
	person := w.person(t, "by-others@example.com").ID()
	w.happen(t, own("usr_01jd7x9k2mf3q8v5t0abcdefgh"), credential.WasSet{UserID: person})
	got := w.got(t, people.NoticeQuery{Owner: person})
	if len(got) != 1 || got[0].IP != "" || got[0].UserAgent != "" {
		t.Errorf("told %+v", got)
	}
}

func (w *world) noticesSilent(t *testing.T) {
	made := user.New(like(w, user.ID("")), address(t, "silent@example.com"), "", noon())
	made.SetSuperadmin(true, noon())
	w.do(t, func(ctx context.Context, tx Repos) error {
		if err := tx.Users.Save(ctx, made); err != nil {
			return err
		}
		return tx.Events.Record(ctx, credential.WasSet{UserID: made.ID()})
	})
	equal(t, "of a new account", kindsOf(w.got(t, people.NoticeQuery{Owner: made.ID()})), []notice.Kind{})
	w.happen(t, event.Origin{}, credential.Changed{UserID: like(w, user.ID(""))}, credential.Changed{})
	equal(t, "the mails", w.mailed(t, ""), 0)
}

func (w *world) noticesRollback(t *testing.T) {
	person := w.person(t, "rollback@example.com").ID()
	w.fails(t, errEnough, func(ctx context.Context, tx Repos) error {
		if err := tx.Events.Record(ctx, credential.Changed{UserID: person}); err != nil {
			return err
		}
		return errEnough
	})
	equal(t, "the notices", kindsOf(w.got(t, people.NoticeQuery{Owner: person})), []notice.Kind{})
	equal(t, "the mails", w.mailed(t, person), 0)
}

// wish changes preferences.
func (w *world) wish(t *testing.T, person user.ID, wishes notice.PreferenceChanges) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		chosen, err := tx.Notices.Preferences(ctx, person)
		if err != nil {
			return err
		}
		if err := chosen.Set(wishes); err != nil {
			return err
		}
		return tx.Notices.SavePreferences(ctx, chosen)
	})
}

func (w *world) noticesMailed(t *testing.T) {
	person, no := w.person(t, "wishes@example.com").ID(), false
	minted := device.Trusted{DeviceID: "dev_01jd7x9k2mf3q8v5t0abcdefgh", UserID: person}
	w.happen(t, own(person), minted)
	equal(t, "the mails by default", w.mailed(t, person), 1)
	w.wish(t, person, notice.PreferenceChanges{notice.DeviceTrusted: &no})
	w.happen(t, own(person), minted)
	equal(t, "the mails of what was declined", w.mailed(t, person), 1)
	w.happen(t, own(person), credential.Changed{UserID: person})
	equal(t, "the mails with a vital one", w.mailed(t, person), 2)
	equal(t, "the notices", len(w.got(t, people.NoticeQuery{Owner: person})), 3)
}

func (w *world) noticesSent(t *testing.T) {
	person := w.person(t, "told@example.com").ID()
	ctx := event.WithOrigin(t.Context(), event.Origin{ActorKind: "anonymous", IP: "203.0.113.7", UserAgent: "curl/8.5"})
	for range 2 {
		if err := w.unit.Do(ctx, func(tx Repos) error { return tx.Notices.Tell(ctx, person, notice.NewDevice, time.Time{}) }); err != nil {
			t.Fatal(err)
		}
	}
	got := w.got(t, people.NoticeQuery{Owner: person})
	if len(got) != 2 || got[0].Kind != notice.NewDevice || got[0].EventID != "" || got[0].IP != "203.0.113.7" {
		t.Errorf("told %+v", got)
	}
	equal(t, "the mails", w.mailed(t, person), 2)
	if err := w.unit.Do(ctx, func(tx Repos) error { return tx.Notices.Tell(ctx, person, "weather", time.Time{}) }); err == nil {
		t.Error("a kind that there is not was told")
	}
}

func (w *world) noticesListed(t *testing.T) {
	person, other := w.person(t, "listed-notices@example.com").ID(), w.person(t, "other-notices@example.com").ID()
	for range 3 {
		w.happen(t, own(person), credential.Changed{UserID: person})
	}
	w.happen(t, own(other), credential.Changed{UserID: other})
	all := w.got(t, people.NoticeQuery{Owner: person})
	equal(t, "all", len(all), 3)
	equal(t, "one page", w.got(t, people.NoticeQuery{Owner: person, Limit: 2}), all[:2])
	equal(t, "the next page", w.got(t, people.NoticeQuery{Owner: person, Before: all[1].ID}), all[2:])
	equal(t, "nobody's", w.got(t, people.NoticeQuery{}), []notice.Snapshot{})
}

func (w *world) noticesRead(t *testing.T) {
	person, other := w.person(t, "read-notices@example.com").ID(), w.person(t, "unread-notices@example.com").ID()
	for _, who := range []user.ID{person, person, person, other} {
		w.happen(t, own(who), credential.Changed{UserID: who})
	}
	all, foreign := w.got(t, people.NoticeQuery{Owner: person}), w.got(t, people.NoticeQuery{Owner: other})
	mark := func(what string, named []notice.ID, now time.Time, want int) {
		t.Helper()
		w.do(t, func(ctx context.Context, tx Repos) error {
			marked, err := tx.Notices.MarkRead(ctx, person, named, now)
			equal(t, what, marked, want)
			return err
		})
	}
	mark("one, an absent and a foreign one", []notice.ID{all[1].ID, like(w, notice.ID("")), foreign[0].ID, all[1].ID}, noon(), 1)
	mark("the same", []notice.ID{all[1].ID}, noon().Add(time.Hour), 0)
	unread := w.got(t, people.NoticeQuery{Owner: person, Unread: true})
	equal(t, "what is not read", unread, []notice.Snapshot{all[0], all[2]})
	mark("all", nil, noon().Add(time.Hour), 2)
	mark("all, again", nil, noon(), 0)
	equal(t, "the time of the first", w.got(t, people.NoticeQuery{Owner: person})[1].ReadAt, noon())
	equal(t, "what another has not read", len(w.got(t, people.NoticeQuery{Owner: other, Unread: true})), 1)
}

func (w *world) noticesPreferences(t *testing.T) {
	person, yes, no := w.person(t, "preferences@example.com").ID(), true, false
	read := func() *notice.Preferences {
		found, err := w.store.NoticeDirectory.Preferences(t.Context(), person)
		is(t, "the preferences", err, nil)
		return found
	}
	equal(t, "before anything was chosen", read().Snapshot(), notice.PreferencesSnapshot{UserID: person})
	w.wish(t, person, notice.PreferenceChanges{notice.NewDevice: &no, notice.DeviceTrusted: &yes})
	equal(t, "what was chosen", read().Snapshot().Mail, map[notice.Kind]bool{notice.NewDevice: false, notice.DeviceTrusted: true})
	one, other := read(), read()
	for _, p := range []*notice.Preferences{one, other} {
		is(t, "a change", p.Set(notice.PreferenceChanges{notice.NewDevice: nil}), nil)
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Notices.SavePreferences(ctx, one) })
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Notices.SavePreferences(ctx, other) })
	equal(t, "what is left", read().Snapshot().Mail, map[notice.Kind]bool{notice.DeviceTrusted: true})
	equal(t, "the events", w.kindsAbout(t, person), []event.Kind{notice.KindPreferenceSet, notice.KindPreferenceSet})
}

func (w *world) noticesGone(t *testing.T) {
	person := w.person(t, "gone-notices@example.com")
	w.happen(t, own(person.ID()), credential.Changed{UserID: person.ID()})
	w.do(t, func(ctx context.Context, tx Repos) error {
		if err := tx.Clients.Note(ctx, person.ID(), "curl", noon()); err != nil {
			return err
		}
		return tx.Users.Delete(ctx, person)
	})
	equal(t, "the notices", w.got(t, people.NoticeQuery{Owner: person.ID()}), []notice.Snapshot{})
}

func (w *world) noticesPurged(t *testing.T, open Opener) {
	w = newWorld(t, open)
	person := w.person(t, "purged-notices@example.com").ID()
	w.happen(t, own(person), credential.Changed{UserID: person})
	w.dueAt(t, ops.PurgeNotifications, noon().Add(notice.KeptFor))
}

// KnownClients checks signin.KnownClients.
func KnownClients(t *testing.T, open Opener) {
	w := newWorld(t, open)
	ada, bob := w.person(t, "ada@example.com").ID(), w.person(t, "bob@example.com").ID()
	note := func(owner user.ID, client string, now time.Time) {
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Clients.Note(ctx, owner, client, now) })
	}
	known := func(owner user.ID, client string, want notice.Client) {
		t.Helper()
		for _, org := range []workspace.ID{"", like(w, workspace.ID(""))} {
			w.do(t, func(ctx context.Context, tx Repos) error {
				got, err := tx.Entrants.Entrant(ctx, signin.LoginTarget{Person: owner, Org: org, Client: client})
				equal(t, "what "+owner.String()+" knows of "+client, got.Client, want)
				return err
			})
		}
	}
	known(ada, "curl", notice.Client{First: true})
	note(ada, "curl", noon())
	note(ada, "", noon())
	note(ada, "curl", noon().Add(time.Hour))
	note(bob, "curl", noon())
	known(ada, "curl", notice.Client{SeenAt: noon().Add(time.Hour)})
	known(ada, "", notice.Client{SeenAt: noon()})
	known(ada, "Firefox on Linux", notice.Client{})
	known(bob, "curl", notice.Client{SeenAt: noon()})
	known(bob, "", notice.Client{})
	note(ada, "Firefox on Linux", noon().Add(2*time.Hour))
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Clients.Forget(ctx, ada, 2) })
	known(ada, "Firefox on Linux", notice.Client{SeenAt: noon().Add(2 * time.Hour)})
	known(ada, "curl", notice.Client{SeenAt: noon().Add(time.Hour)})
	known(ada, "", notice.Client{})
	known(bob, "curl", notice.Client{SeenAt: noon()})
}
