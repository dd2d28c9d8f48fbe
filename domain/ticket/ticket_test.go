package ticket_test

import (
	"testing"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/ticket"
)

// Each purpose has a kind of challenge of its own, so that no link is taken for
// another.
func TestPurposesAreApart(t *testing.T) {
	t.Parallel()
	seen := map[challenge.Kind]bool{}
	for i, p := range ticket.Purposes() {
		kind := p.Kind()
		if kind == "" || seen[kind] || ticket.Of(kind) != p || ticket.Kinds()[i] != kind {
			t.Errorf("%s is for challenges of the kind %q, which are for %q", p, kind, ticket.Of(kind))
		}
		seen[kind] = true
	}
	if ticket.Purpose("other").Kind() != "" || ticket.Of(challenge.LoginCode) != "" {
		t.Error("what is no link has a purpose")
	}
}
