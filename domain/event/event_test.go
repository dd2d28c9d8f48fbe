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

func TestRecorder(t *testing.T) {
	t.Parallel()
	event.Stored(context.Background(), "a.b") // to nobody
	var outer, inner event.Recorder
	ctx := event.WithRecorder(t.Context(), &outer)
	event.Stored(ctx, "a.b", "c.d")
	event.Stored(ctx)
	event.Stored(event.WithRecorder(ctx, &inner), "e.f")
	event.Stored(ctx, "a.b")
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
