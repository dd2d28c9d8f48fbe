package workspaces

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/workspace"
)

// ChangeSignInRules runs a change that may affect the sign-in rules of a workspace. If it tightens
// them, it moves the mark of the rules and the revision of the instance; if it leaves none, it
// resets the mark. The change must lock the row of the workspace. For the instance, "", it only
// runs the change.
func ChangeSignInRules(ctx context.Context, tx *sqlstore.Tx, org workspace.ID, change func() error) error {
	if org == "" {
		return change()
	}
	before, err := readSignInRules(ctx, tx, org)
	if err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	after, err := readSignInRules(ctx, tx, org)
	switch {
	case err != nil:
		return err
	case after.TighterThan(before):
		return tighten(ctx, tx, org)
	case after.None() && !before.None():
		return setRulesMark(ctx, tx, org, `0`)
	}
	return nil
}

// tighten moves the mark of the sign-in rules of a workspace.
func tighten(ctx context.Context, tx *sqlstore.Tx, org workspace.ID) error {
	if _, err := tx.Exec(ctx, `UPDATE instance SET revision = revision + 1 WHERE id = 1`); err != nil {
		return fmt.Errorf("move the instance's revision: %w", err)
	}
	return setRulesMark(ctx, tx, org, `(SELECT revision FROM instance WHERE id = 1)`)
}

func setRulesMark(ctx context.Context, tx *sqlstore.Tx, org workspace.ID, revision string) error {
	now := sqlstore.At(tx.Store().Clock().Now())
	if _, err := tx.Exec(ctx, `UPDATE workspaces SET rules_revision = `+revision+`, rules_at = ? WHERE id = ?`, now, org.String()); err != nil {
		return fmt.Errorf("mark the sign-in rules of a workspace: %w", err)
	}
	return nil
}

// RequiredMFA is the policy that MFARequired decodes, of a workspace w.
const RequiredMFA = `(SELECT p.content FROM policies p WHERE p.org_id = w.id AND p.kind = 'mfa')`

func readSignInRules(ctx context.Context, tx *sqlstore.Tx, org workspace.ID) (rules workspace.SignInRules, err error) {
	var found []struct {
		Methods string         `db:"allowed_methods"`
		MFA     sql.NullString `db:"mfa"`
	}
	err = tx.List(ctx, &found, `SELECT w.allowed_methods, `+RequiredMFA+` AS mfa FROM workspaces w WHERE w.id = ?`, org.String())
	if err != nil || len(found) == 0 {
		return rules, wrapRules(err)
	}
	if rules.Methods, err = sqlstore.DecodeList[workspace.Method](found[0].Methods); err != nil {
		return rules, wrapRules(err)
	}
	if rules.MFA, err = MFARequired(found[0].MFA); err != nil {
		return rules, err
	}
	var flows []struct {
		ID     flow.ID `db:"id"`
		Number int     `db:"number"`
	}
	triggers := sqlstore.OneColumn(flow.SignInTriggers())
	err = tx.List(ctx, &flows, `SELECT id, number FROM flows WHERE org_id = ? AND enabled AND flow_trigger {any trigger text}`, org.String(), triggers)
	for _, f := range flows {
		rules.Flows = append(rules.Flows, fmt.Sprintf("%s@%d", f.ID, f.Number))
	}
	return rules, wrapRules(err)
}

func wrapRules(err error) error {
	if err != nil {
		return fmt.Errorf("read the sign-in rules of a workspace: %w", err)
	}
	return nil
}

// MFARequired reports whether the stored MFA policy of a workspace requires a second factor.
func MFARequired(content sql.NullString) (bool, error) {
	var stored struct {
		Required bool `json:"required"`
	}
	if !content.Valid {
		return false, nil
	}
	if err := json.Unmarshal([]byte(content.String), &stored); err != nil {
		return false, fmt.Errorf("decode the policy of second factors: %w", err)
	}
	return stored.Required, nil
}
