package commerce_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/family/licenses"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/ports/outbound"
	licensingport "gatehouse.internal/ports/outbound/licensing"
	"gatehouse.internal/test/harness"
)

// counted counts the questions of LICENSE.VALIDATE to a store, and its transactions.
type counted struct {
	licensingport.LicenseDirectory
	outbound.Unit[licenses.Repos]

	questions, transactions int
}

func (c *counted) Standing(ctx context.Context, canonical, fingerprint string, now time.Time) (license.State, error) {
	c.questions++
	return c.LicenseDirectory.Standing(ctx, canonical, fingerprint, now)
}

func (c *counted) Do(ctx context.Context, change func(tx licenses.Repos) error) error {
	c.transactions++
	return c.Unit.Do(ctx, change)
}

// A key with a wrong checksum is refused without asking the store. An unknown key asks it as
// often as a known one does, apart from the note of a minute that the known one was seen.
func TestKeysCostAlike(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		_, key := issue(vendor(h), nil)
		c := &counted{
			LicenseDirectory: licensing.LicenseDirectory(h.Store),
			Unit: sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) licenses.Repos {
				return licenses.Repos{Licenses: licensing.Licenses(tx), Events: tx.Events()}
			}),
		}
		validate := validation(t, &licenses.Service{Licenses: c, Unit: c, Sightings: &licenses.Sightings{}, Clock: h.Clock})
		last := "0"
		if strings.HasSuffix(key, last) {
			last = "2"
		}
		for _, step := range []struct {
			what, key               string
			code                    license.Code
			questions, transactions int
		}{
			{"a known key", key, license.Valid, 1, 1},
			{"the same, in the same minute", strings.ToLower(key), license.Valid, 1, 0},
			{"an unknown key", string(license.NewKey(random('x'))), license.Unknown, 1, 0},
			{"a wrong checksum", key[:len(key)-1] + last, license.Unknown, 0, 0},
			{"no key", "LIC-", license.Unknown, 0, 0},
		} {
			c.questions, c.transactions = 0, 0
			if got := validate(step.key); got != step.code || c.questions != step.questions || c.transactions != step.transactions {
				t.Errorf("%s is %s after %d questions and %d transactions, want %s after %d and %d",
					step.what, got, c.questions, c.transactions, step.code, step.questions, step.transactions)
			}
		}
	})
}

// validation returns LICENSE.VALIDATE of a service.
func validation(t *testing.T, s *licenses.Service) func(key string) license.Code {
	t.Helper()
	for _, one := range s.Commands() {
		if one.Name != "LICENSE.VALIDATE" {
			continue
		}
		return func(key string) license.Code {
			t.Helper()
			raw, err := json.Marshal(P{"key": key, "machine": "m"})
			if err != nil {
				t.Fatal(err)
			}
			params, err := one.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			result, err := one.Handle(t.Context(), command.Call{}, params)
			if err != nil {
				t.Fatal(err)
			}
			return result.(licenses.ValidateResult).Code
		}
	}
	t.Fatal("there is no LICENSE.VALIDATE")
	return nil
}
