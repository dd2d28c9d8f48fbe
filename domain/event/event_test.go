package event_test

import (
	"context"
	"slices"
	"testing"

	"gatehouse.internal/domain/event"
)

func TestOrigin(t *testing.T) {
	t.Parallel()
	if got := event.OriginOf(t.Context()); got != (event.Origin{ActorKind: "system"}) {
		t.Errorf("without a request acts %+v, want the service itself", got)
	}
	outer := event.Origin{ActorKind: "user", ActorID: "usr_1", IP: "192.0.2.1"}
	ctx := event.WithOrigin(t.Context(), outer)
	inner := event.WithOrigin(ctx, event.Origin{ActorKind: "anonymous"})
	if event.OriginOf(ctx) != outer || event.OriginOf(inner).ActorKind != "anonymous" {
		t.Errorf("origins are %+v and %+v", event.OriginOf(ctx), event.OriginOf(inner))
	}
}

func TestWitness(t *testing.T) {
	t.Parallel()
	event.Testify(context.Background(), "a.b") // to nobody
	var outer, inner event.Witness
	ctx := event.WithWitness(t.Context(), &outer)
	event.Testify(ctx, "a.b", "c.d")
	event.Testify(ctx)
	event.Testify(event.WithWitness(ctx, &inner), "e.f")
	event.Testify(ctx, "a.b")
	if !slices.Equal(outer.Kinds, []event.Kind{"a.b", "c.d", "a.b"}) || !slices.Equal(inner.Kinds, []event.Kind{"e.f"}) {
		t.Errorf("told %q and %q", outer.Kinds, inner.Kinds)
	}
}

type minter struct{}

func (minter) Mint(prefix string) string { return prefix + "_01jd7x9k2mf3q8v5t0abcdefgh" }

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	made := event.NewID(minter{})
	if again, err := event.ParseID(made.String()); err != nil || again != made || made.String()[:4] != "evt_" {
		t.Errorf("ParseID(%s) = %s, %v", made, again, err)
	}
	for _, text := range []string{"", "usr_" + made.String()[4:], made.String() + "0", "evt_"} {
		if _, err := event.ParseID(text); err == nil {
			t.Errorf("ParseID(%q) passes", text)
		}
	}
}
