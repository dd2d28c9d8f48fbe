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
	UserID       user.ID      `json:"user_id,omitzero" doc:"Only sessions of this user."`
	OrgID        workspace.ID `json:"org_id,omitzero" doc:"Only sessions whose active workspace is this one."`
	IP           netip.Addr   `json:"ip,omitzero" doc:"Only sessions whose sign-in came from this IP address." jsonschema:"minLength=2,example=203.0.113.7"`
	AppID        app.ID       `json:"app_id,omitzero" doc:"Only sessions in which the user authorized this app, and whose access is not revoked." example:"-"`
	IssuedBefore time.Time    `json:"issued_before,omitzero" doc:"Only sessions that started before this time."`
}

func (p BulkRevokeParams) none() bool {
	return p.UserID == "" && p.OrgID == "" && p.AppID == "" && !p.IP.IsValid() && p.IssuedBefore.IsZero()
}

// errNoFilter keeps a forgotten filter from ending every session there is.
func errNoFilter() error {
	const message = "provide at least one of user_id, org_id, app_id, ip and issued_before"
	refusal := fault.New(fault.Validation, message)
	for _, path := range []string{"/user_id", "/org_id", "/app_id", "/ip", "/issued_before"} {
		refusal.Fields = append(refusal.Fields, fault.Field{Path: path, Message: message})
	}
	return refusal
}

const bulkRevokeDescription = "Sessions of any user and workspace are revoked if they match every filter. Your current session is kept. You must " +
	"provide at least one filter."

func (s *Service) bulkRevoke() command.Definition {
	return command.Define(command.Spec[BulkRevokeParams, RevokedResult]{
		Name:        "SESSION.BULK_REVOKE",
		Summary:     "Revoke all sessions that match the given filters.",
		Description: bulkRevokeDescription,
		Access:      access.Holding(manage),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{session.KindRevoked},
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
