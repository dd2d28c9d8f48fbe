package features

import (
	"context"
	"fmt"
	"strings"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/licensing"
)

var errBoth = fault.New(fault.Validation, "provide either user_id or org_id, not both")

// OverrideListParams are the parameters of FEATURE.OVERRIDE_LIST.
type OverrideListParams struct {
	Key    feature.Key  `json:"key,omitzero" doc:"Only overrides of this feature." example:"-"`
	UserID user.ID      `json:"user_id,omitzero" doc:"Only overrides for this account. Do not combine with org_id." example:"-"`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"Only overrides for this workspace. Do not combine with user_id." example:"-"`
	page.Params
}

// OverrideListResult is the result of FEATURE.OVERRIDE_LIST.
type OverrideListResult struct {
	Items      []Override `json:"items" doc:"Overrides of this page, sorted by feature key."`
	NextCursor *string    `json:"next_cursor" doc:"Cursor of the next page. Null on the last page."`
}

func (s *Service) overrideList() command.Definition {
	return command.Define(command.Spec[OverrideListParams, OverrideListResult]{
		Name:           "FEATURE.OVERRIDE_LIST",
		Summary:        "List the active overrides of features, sorted by feature key.",
		Access:         access.Holding(reading),
		AboutWorkspace: true,
		Effect:         command.Reads,
		Handle: func(ctx context.Context, call command.Call, p OverrideListParams) (OverrideListResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return OverrideListResult{}, err
			}
			if p.UserID != "" && p.OrgID != "" {
				return OverrideListResult{}, errBoth
			}
			list := s.Cursors.List(fmt.Sprintf("FEATURE.OVERRIDE_LIST|%s|%s|%s|%s", org, p.Key, p.UserID, p.OrgID), p.Params)
			found, err := page.Read(list, func(o feature.Override) string { return string(o.Key) + "\n" + o.Whose.Name() }, showOverride,
				func(after string, most int) ([]feature.Override, error) {
					key, name, _ := strings.Cut(after, "\n")
					return s.Directory.Overrides(ctx, licensing.OverrideQuery{
						Org: org, Key: p.Key, Whose: feature.Target{UserID: p.UserID, OrgID: p.OrgID}, Now: s.now(),
						AfterKey: feature.Key(key), AfterName: name, Limit: most,
					})
				})
			return OverrideListResult{found.Items, found.NextCursor}, err
		},
	})
}
