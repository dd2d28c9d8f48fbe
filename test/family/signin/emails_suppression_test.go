package signin_test

import (
	"strings"
	"sync"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/test/harness"
)

func TestSuppressions(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database, "ENCRYPTION_KEY=1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
		root := h.Superadmin()
		if got := root.Do("EMAIL.SUPPRESSION_ADD", harness.P{"email": " Ada@Example.com "}).OK(); got.String("email") != "Ada@example.com" {
			t.Errorf("added %v", got.Data)
		}
		for _, reason := range []string{"bounce", "bounce"} {
			root.Do("EMAIL.SUPPRESSION_ADD", harness.P{"email": "bob@example.com", "reason": reason}).OK()
		}
		root.Do("EMAIL.SUPPRESSION_ADD", harness.P{"email": "BOB@example.com", "reason": "complaint"}).OK()
		items := root.Do("EMAIL.SUPPRESSION_LIST", nil).OK().List("items")
		if len(items) != 2 || items[0]["email"] != "bob@example.com" || items[0]["reason"] != "complaint" || items[1]["reason"] != "manual" || items[1]["at"] == "" {
			t.Errorf("listed %v", items)
		}
		page := root.Do("EMAIL.SUPPRESSION_LIST", harness.P{"limit": 1}).OK()
		if next := root.Do("EMAIL.SUPPRESSION_LIST", harness.P{"limit": 1, "cursor": page.String("next_cursor")}).OK().List("items"); len(next) != 1 || next[0]["email"] != "Ada@example.com" {
			t.Errorf("the second page: %v", next)
		}
		for query, want := range map[string]int{"ada@example.COM": 1, "ada": 0, "eve@example.com": 0} {
			if got := root.Do("EMAIL.SUPPRESSION_LIST", harness.P{"query": query}).OK().List("items"); len(got) != want {
				t.Errorf("%s: %v, want %d", query, got, want)
			}
		}
		for _, want := range []bool{true, false} {
			if got := root.Do("EMAIL.SUPPRESSION_REMOVE", harness.P{"email": "ADA@example.com"}).OK().Bool("removed"); got != want {
				t.Errorf("removed %t, want %t", got, want)
			}
		}
		added, removed := h.Events(mail.KindSuppressed), h.Events(mail.KindUnsuppressed)
		if len(added) != 3 || len(removed) != 1 {
			t.Errorf("%d and %d events, want 3 and 1", len(added), len(removed))
		}
		for _, one := range append(added, removed...) {
			if strings.Contains(string(one.Data), "@") {
				t.Errorf("an event tells an address: %s", one.Data)
			}
		}
		root.Do("EMAIL.SUPPRESSION_ADD", harness.P{"email": "nobody"}).Fails(fault.Validation).Field("/email")
	})
}

func TestSuppressionIsAddedOnce(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		root := h.Superadmin()
		var working sync.WaitGroup
		for range 6 {
			working.Go(func() {
				root.Do("EMAIL.SUPPRESSION_ADD", harness.P{"email": "bob@example.com", "reason": "bounce"}).OK()
			})
		}
		working.Wait()
		if got := h.Events(mail.KindSuppressed); len(got) != 1 {
			t.Errorf("%d events, want 1", len(got))
		}
	})
}
