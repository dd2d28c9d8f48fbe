package contract

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/mailing"
)

// mailLists checks pages of mail, by every filter.
func mailLists(t *testing.T, w *world) {
	people := []*user.User{w.person(t, "ada@example.com"), w.person(t, "bob@example.com")}
	for n := range 12 {
		w.queue(t, mail.Request{Template: []mail.Template{mail.Notice, mail.LoginLink}[n%2], UserID: people[n%3/2].ID()})
	}
	for _, c := range w.claimMail(t, 6) {
		is(t, "send", w.recordOutcome(t, c, mail.Outcome{Status: mail.Sent}), nil)
	}
	all := w.listMail(t, mailing.Query{Limit: 100})
	for _, query := range []mailing.Query{
		{},
		{Status: mail.Sent},
		{Status: mail.Queued},
		{Template: mail.LoginLink},
		{To: address(t, "BOB@example.com")},
		{To: address(t, "ada@example.com"), Status: mail.Sent, Template: mail.Notice},
		{To: address(t, "eve@example.com")},
	} {
		var want, got []mail.ID
		for _, one := range all {
			if (query.Status == "" || one.Status == query.Status) && (query.Template == "" || one.Template == query.Template) &&
				(query.To.IsZero() || one.To.Folded() == query.To.Folded()) {
				want = append(want, one.ID)
			}
		}
		query.Limit = 2
		for page := w.listMail(t, query); len(page) > 0; page = w.listMail(t, query) {
			for _, one := range page {
				got = append(got, one.ID)
			}
			query.Before = got[len(got)-1]
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%+v: %v, want %v", query, got, want)
		}
	}
}

// Suppressions checks the addresses that get no mail.
func Suppressions(t *testing.T, open Opener) {
	w := newWorld(t, open)
	made := mail.Suppression{ID: w.ids.UUID(), Email: address(t, "Ada@example.com"), Reason: mail.Bounce, CreatedAt: noon()}
	w.mailing(t, func(ctx context.Context, tx mailRepos) error {
		if _, found, err := tx.suppressions.Find(ctx, made.Email); found || err != nil {
			t.Errorf("found %t, %v", found, err)
		}
		added, err := tx.suppressions.Add(ctx, made)
		if !added || err != nil {
			t.Errorf("added %t, %v", added, err)
		}
		twin := made
		twin.ID, twin.Email = w.ids.UUID(), address(t, "ADA@EXAMPLE.com")
		if added, err = tx.suppressions.Add(ctx, twin); added || err != nil {
			t.Errorf("added again: %t, %v", added, err)
		}
		return err
	})
	w.mailing(t, func(ctx context.Context, tx mailRepos) error {
		kept, found, err := tx.suppressions.Find(ctx, address(t, "ada@example.com"))
		if !found || err != nil {
			t.Fatalf("found %t, %v", found, err)
		}
		equal(t, "the entry", kept, made)
		return tx.suppressions.Change(ctx, kept.ID, mail.Complaint)
	})
	more := mail.Suppression{ID: w.ids.UUID(), Email: address(t, "bob@example.com"), Reason: mail.Manual, CreatedAt: noon()}
	w.mailing(t, func(ctx context.Context, tx mailRepos) error {
		_, err := tx.suppressions.Add(ctx, more)
		return err
	})
	changed := made
	changed.Reason = mail.Complaint
	for _, test := range []struct {
		query mailing.SuppressionQuery
		want  []mail.Suppression
	}{
		{mailing.SuppressionQuery{Limit: 10}, []mail.Suppression{more, changed}},
		{mailing.SuppressionQuery{Limit: 1}, []mail.Suppression{more}},
		{mailing.SuppressionQuery{Limit: 10, Before: more.ID}, []mail.Suppression{changed}},
		{mailing.SuppressionQuery{Limit: 10, Email: address(t, "ADA@example.com")}, []mail.Suppression{changed}},
		{mailing.SuppressionQuery{Limit: 10, Email: address(t, "eve@example.com")}, []mail.Suppression{}},
	} {
		listed, err := w.store.SuppressionDirectory.List(t.Context(), test.query)
		is(t, "list", err, nil)
		equal(t, "the list", listed, test.want)
	}
	w.mailing(t, func(ctx context.Context, tx mailRepos) error {
		gone, found, err := tx.suppressions.Remove(ctx, address(t, "ADA@example.com"))
		if !found || gone.ID != made.ID {
			t.Errorf("removed %+v, %t", gone, found)
		}
		if _, found, err := tx.suppressions.Remove(ctx, made.Email); found || err != nil {
			t.Errorf("removed again: %t, %v", found, err)
		}
		return err
	})
}

// MailTemplates checks the templates that were set.
func MailTemplates(t *testing.T, open Opener) {
	w := newWorld(t, open)
	ada := w.person(t, "ada@example.com")
	org, other := w.team(t, true, "owner", ada.ID()), w.team(t, false, "owner", ada.ID())
	source := mail.Source{Subject: "Grüße", HTML: "<p>{{.link}}</p>", Text: "{{.link}}"}
	set := []mail.Override{
		{Template: mail.LoginLink, Source: source, UpdatedAt: noon()},
		{Template: mail.LoginLink, Locale: "de", Source: source, UpdatedAt: noon()},
		{Template: mail.LoginLink, Org: org, Source: source, UpdatedAt: noon()},
		{Template: mail.LoginLink, Org: other, Source: source, UpdatedAt: noon()},
		{Template: mail.Notice, Org: org, Locale: "de", Source: source, UpdatedAt: noon()},
	}
	later := set[2]
	later.Source.Subject, later.UpdatedAt = "Hello", noon().Add(time.Hour)
	w.mailing(t, func(ctx context.Context, tx mailRepos) error {
		for _, one := range append(set, later) {
			if err := tx.templates.Set(ctx, one); err != nil {
				return err
			}
		}
		return nil
	})
	all, err := w.store.TemplateDirectory.All(t.Context(), org)
	is(t, "read all", err, nil)
	equal(t, "all", all, []mail.Override{set[0], set[1], later, set[4]})
	instance, err := w.store.TemplateDirectory.All(t.Context(), "")
	is(t, "read the instance's", err, nil)
	equal(t, "the instance's", instance, []mail.Override{set[0], set[1]})
	w.mailing(t, func(ctx context.Context, tx mailRepos) error {
		of, err := tx.templates.Of(ctx, mail.LoginLink, org)
		if len(of) != 3 {
			t.Errorf("of one: %+v", of)
		}
		for _, want := range []bool{true, false} {
			if dropped, err := tx.templates.Reset(ctx, org, mail.LoginLink, ""); dropped != want || err != nil {
				t.Errorf("reset: %t, %v, want %t", dropped, err, want)
			}
		}
		return err
	})
	err = w.tryMailing(t.Context(), func(ctx context.Context, tx mailRepos) error {
		return tx.templates.Set(ctx, mail.Override{Template: mail.Notice, Org: like(w, org), Source: source, UpdatedAt: noon()})
	})
	is(t, "set one of a workspace that is gone", err, workspace.ErrNotFound)
	if left, _ := w.store.TemplateDirectory.All(t.Context(), other); len(left) != 3 {
		t.Errorf("another workspace's are gone too: %+v", left)
	}
}
