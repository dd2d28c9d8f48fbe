package sessions

import (
	"context"
	"net/netip"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

// BulkRevokeParams are the parameters of SESSION.BULK_REVOKE. A session must
// match all that are given.
type BulkRevokeParams struct {
	UserID       user.ID      `json:"user_id,omitzero" doc:"Sessions of this person."`
	OrgID        workspace.ID `json:"org_id,omitzero" doc:"Sessions whose active workspace is this one."`
	IP           netip.Addr   `json:"ip,omitzero" doc:"Sessions whose login came from this address." jsonschema:"minLength=2,example=203.0.113.7"`
	AppID        app.ID       `json:"app_id,omitzero" doc:"Sessions in which the person let this app in, whose access has not ended." example:"-"`
	IssuedBefore time.Time    `json:"issued_before,omitzero" doc:"Sessions that began before this time."`
}

func (p BulkRevokeParams) none() bool {
	return p.UserID == "" && p.OrgID == "" && p.AppID == "" && !p.IP.IsValid() && p.IssuedBefore.IsZero()
}

// errNoFilter keeps a forgotten filter from ending every session there is.
func errNoFilter() error {
	const message = "give at least one of user_id, org_id, app_id, ip, issued_before"
	refusal := fault.New(fault.Validation, message)
	for _, path := range []string{"/user_id", "/org_id", "/app_id", "/ip", "/issued_before"} {
		refusal.Fields = append(refusal.Fields, fault.Field{Path: path, Message: message})
	}
	return refusal
}

func (s *Service) bulkRevoke() command.Definition {
	return command.Define(command.Spec[BulkRevokeParams, RevokedResult]{
		Name: "SESSION.BULK_REVOKE",
		Summary: "Revoke all sessions that match every filter given, of any person and workspace, " +
			"except the caller's current one; at least one filter is needed.",
		Access:    access.Holding(manage),
		Effect:    command.Writes,
		Withdraws: true,
		Emits:     []event.Kind{session.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p BulkRevokeParams) (RevokedResult, error) {
			if p.none() {
				return RevokedResult{}, errNoFilter()
			}
			count, err := s.endAll(ctx, people.SessionQuery{
				User: p.UserID, Org: p.OrgID, App: p.AppID, IP: written(p.IP), IssuedBefore: p.IssuedBefore,
				Except: call.Caller.Session,
			}, session.ByAdmin)
			return RevokedResult{RevokedCount: count}, err
		},
	})
}
