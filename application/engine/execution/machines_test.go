package execution_test

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	machinesstore "gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/test/harness"
)

// heldKey is an API key and its text.
type heldKey struct {
	apikey.Snapshot

	text string
}

func (k heldKey) bearer() string { return "Bearer " + k.text }

// apiKey stores an API key of somebody, with all that they hold unless the test
// changes that.
func (l *lab) apiKey(of *harness.Actor, change func(s *apikey.Snapshot)) heldKey {
	l.t.Helper()
	text := string(keytext.New(keytext.APIKey, system.Random{}))
	k := heldKey{text: text, Snapshot: apikey.Snapshot{
		ID: apikey.NewID(system.NewIDs(l.Clock)), UserID: user.ID(of.UserID), OrgID: workspace.ID(of.OrgID), Name: "lab",
		Prefix: keytext.Hint(keytext.APIKey, text), Scopes: []string{"*"}, CreatedAt: l.Clock.Now(),
		Secrets: []apikey.Secret{{Digest: keytext.Digest(text)}},
	}}
	if change != nil {
		change(&k.Snapshot)
	}
	unit := sqlstore.NewUnit(l.Store, func(tx *sqlstore.Tx) machines.APIKeys { return machinesstore.APIKeys(tx) })
	err := unit.Do(l.t.Context(), func(tx machines.APIKeys) error { return tx.Save(l.t.Context(), apikey.Restore(k.Snapshot, 0)) })
	if err != nil {
		l.t.Fatal(err)
	}
	return k
}

// app stores an app of somebody's workspace that was granted scopes, and may carry
// foreign ones.
func (l *lab) app(of *harness.Actor, granted ...string) *app.App {
	l.t.Helper()
	ids := system.NewIDs(l.Clock)
	made, err := app.Register(app.Registration{ID: app.ID(ids.UUID()), OrgID: workspace.ID(of.OrgID), Slug: "worker-" + ids.UUID(), Name: "Worker"}, l.Clock.Now())
	if err == nil && len(granted) > 0 {
		err = made.Grant(granted, false, l.Clock.Now())
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return l.saveApp(made)
}

// saveApp stores an app and reads it back.
func (l *lab) saveApp(a *app.App) *app.App {
	l.t.Helper()
	unit := sqlstore.NewUnit(l.Store, func(tx *sqlstore.Tx) machines.Apps { return machinesstore.Apps(tx) })
	err := unit.Do(l.t.Context(), func(tx machines.Apps) (err error) {
		if err = tx.Save(l.t.Context(), a); err == nil {
			a, err = tx.ByID(l.t.Context(), a.ID())
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return a
}

// machineToken is an M2M token and what was stored of it.
type machineToken struct {
	m2m.Issued

	text string
}

func (m machineToken) bearer() string { return "Bearer " + m.text }

// issue stores and signs a token of an app, good for an hour. Changes of the
// claims are signed, not stored.
func (l *lab) issue(of *app.App, scope, jkt string, changes map[string]any) machineToken {
	l.t.Helper()
	now := l.Clock.Now()
	m := machineToken{Issued: m2m.Issued{
		JTI: system.NewIDs(l.Clock).UUID(), App: of.ID(), AppVersion: of.Version(), Scope: scope, Audience: harness.Issuer, JKT: jkt,
		IssuedAt: now, ExpiresAt: now.Add(time.Hour),
	}}
	if err := l.Store.TokenIssues().Issue(l.t.Context(), m.Issued, nil); err != nil {
		l.t.Fatal(err)
	}
	claims := map[string]any{
		"iss": harness.Issuer, "aud": harness.Issuer, "sub": of.Snapshot().Slug, "client_id": of.Snapshot().Slug, "scope": scope,
		"jti": m.JTI, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	if jkt != "" {
		claims["cnf"] = map[string]any{"jkt": jkt}
	}
	maps.Copy(claims, changes)
	payload, err := json.Marshal(claims)
	if err != nil {
		l.t.Fatal(err)
	}
	signed, err := l.engine.Instance.State().Keys.Active().Sign("at+jwt", payload)
	if err != nil {
		l.t.Fatal(err)
	}
	m.text = string(signed)
	return m
}

// revoked runs a change of issued tokens.
func (l *lab) revoked(change func(tx machines.IssuedTokens) error) {
	l.t.Helper()
	unit := sqlstore.NewUnit(l.Store, func(tx *sqlstore.Tx) machines.IssuedTokens { return machinesstore.IssuedTokens(tx) })
	if err := unit.Do(l.t.Context(), change); err != nil {
		l.t.Fatal(err)
	}
}

// execute runs one statement on the database itself.
func (l *lab) execute(statement string, args ...any) {
	l.t.Helper()
	if _, err := l.Store.Database().Write.ExecContext(l.t.Context(), statement, args...); err != nil {
		l.t.Fatal(err)
	}
}

// recordingCall is a command that any authenticated caller may call, and what it was told
// last.
func recordingCall(rule spec) (spec, *command.Call) {
	heard := &command.Call{}
	rule.Handle = func(_ context.Context, call command.Call, p params) (result, error) {
		*heard = call
		return result{Value: p.Value}, nil
	}
	return rule, heard
}
