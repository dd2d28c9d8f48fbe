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
	"gatehouse.internal/application/family/licences"
	"gatehouse.internal/domain/licence"
	"gatehouse.internal/ports/outbound"
	ports "gatehouse.internal/ports/outbound/licensing"
	"gatehouse.internal/test/harness"
)

// counted counts the questions of LICENSE.VALIDATE to a store, and its transactions.
type counted struct {
	ports.LicenceDirectory
	outbound.Unit[licences.Repos]

	questions, transactions int
}

func (c *counted) Standing(ctx context.Context, canonical, fingerprint string, now time.Time) (licence.Standing, error) {
	c.questions++
	return c.LicenceDirectory.Standing(ctx, canonical, fingerprint, now)
}

func (c *counted) Do(ctx context.Context, change func(tx licences.Repos) error) error {
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
			LicenceDirectory: licensing.LicenceDirectory(h.Store),
			Unit: sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) licences.Repos {
				return licences.Repos{Licences: licensing.Licences(tx), Events: tx.Events()}
			}),
		}
		validate := validation(t, &licences.Service{Licences: c, Unit: c, Seen: &licences.Sightings{}, Clock: h.Clock})
		last := "0"
		if strings.HasSuffix(key, last) {
			last = "2"
		}
		for _, step := range []struct {
			what, key               string
			code                    licence.Code
			questions, transactions int
		}{
			{"a known key", key, licence.Valid, 1, 1},
			{"the same, in the same minute", strings.ToLower(key), licence.Valid, 1, 0},
			{"an unknown key", string(licence.NewKey(random('x'))), licence.Unknown, 1, 0},
			{"a wrong checksum", key[:len(key)-1] + last, licence.Unknown, 0, 0},
			{"no key", "LIC-", licence.Unknown, 0, 0},
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
func validation(t *testing.T, s *licences.Service) func(key string) licence.Code {
	t.Helper()
	for _, one := range s.Commands() {
		if one.Name != "LICENSE.VALIDATE" {
			continue
		}
		return func(key string) licence.Code {
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
			return result.(licences.ValidateResult).Code
		}
	}
	t.Fatal("there is no LICENSE.VALIDATE")
	return nil
}
