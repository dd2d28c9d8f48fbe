package contract

import (
	"context"
	"errors"
	"testing"

	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/workspace"
)

// Brandings checks workspaces.Brandings and workspaces.Looks.
func Brandings(t *testing.T, open Opener) {
	w := newWorld(t, open)
	person, org := w.owner(t, "look@example.com")
	_, other := w.owner(t, "look-other@example.com")
	whole := branding.Look{
		Name: "Grüße & <b>", LogoURL: "https://cdn.example.com/a.png", SupportEmail: email.Restore("help@example.com"), Locale: "de-CH",
		Colors: branding.Colors{Primary: "#112233", Background: "#ffffff", PrimaryDark: "#445566", BackgroundDark: "#000000"},
	}
	own := branding.Look{Name: "Own", Colors: branding.Colors{PrimaryDark: "#778899"}}
	set := func(of workspace.ID, look branding.Look) {
		t.Helper()
		w.do(t, func(ctx context.Context, tx Repos) error {
			if err := tx.Brandings.Set(ctx, of, look); err != nil {
				return err
			}
			kept, err := tx.Brandings.Get(ctx, of)
			equal(t, "the look kept", kept, look)
			return err
		})
	}
	inForce := func(what string, of workspace.ID, want branding.Look) {
		t.Helper()
		got, err := w.store.Looks.InForce(t.Context(), of)
		is(t, what, err, nil)
		equal(t, what, got, want)
		w.do(t, func(ctx context.Context, tx Repos) error {
			within, err := tx.Brandings.InForce(ctx, of)
			equal(t, what+" in a unit of work", within, want)
			return err
		})
	}
	const nowhere workspace.ID = "org_01jd7x9k2mf3q8v5t0abcdefgh"
	inForce("none", "", branding.Look{})
	inForce("none of a workspace", org, branding.Look{})
	set("", whole)
	inForce("the instance's", "", whole)
	inForce("the instance's in a workspace", org, whole)
	inForce("that of no workspace", nowhere, whole)
	set(org, own)
	inForce("a workspace's", org, own.Over(whole))
	inForce("another workspace's", other, whole)
	inForce("the instance's still", "", whole)
	w.fails(t, workspace.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Brandings.Get(ctx, nowhere)
		return err
	})
	w.fails(t, errEnough, func(ctx context.Context, tx Repos) error {
		return errors.Join(tx.WaysIn.Void(ctx, person, noon()), errEnough)
	})
	inForce("a workspace's that was almost voided", org, own.Over(whole))
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.WaysIn.Void(ctx, person, noon()) })
	inForce("a workspace's that was voided", org, whole)
	set("", branding.Look{})
	inForce("none again", org, branding.Look{})
}

// BrandingsInTurn checks that two changes of one look do not undo each other.
func BrandingsInTurn(t *testing.T, open Opener) {
	w := newWorld(t, open)
	_, org := w.owner(t, "look@example.com")
	for _, of := range []workspace.ID{"", org} {
		change := func(held func()) error {
			return w.unit.Do(t.Context(), func(tx Repos) error {
				_, err := tx.Brandings.Get(t.Context(), of)
				held()
				return err
			})
		}
		inTurn(t, change, change)
	}
}
