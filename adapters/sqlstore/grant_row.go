package sqlstore

import (
	"cmp"
	"fmt"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// GrantColumns are the columns of a GrantRow.
const GrantColumns = `id, app_id, user_id, org_id, session_id, subject, scopes, resources, offline, auth_time, amr, acr, nonce, claims, jkt, created_at,
	code, redirect_uri, challenge, code_expires_at, redeemed_at, refresh, previous, rotated_at, last_used_at, idle_seconds,
	expires_at, ended_at, end_reason, source, met, owner_met, version`

// GrantRow is a grant as it is stored.
type GrantRow struct {
	ID            oauth.GrantID `db:"id"`
	AppID         app.ID        `db:"app_id"`
	UserID        user.ID       `db:"user_id"`
	OrgID         workspace.ID  `db:"org_id"`
	SessionID     session.ID    `db:"session_id"`
	Subject       string        `db:"subject"`
	Scopes        string        `db:"scopes"`
	Resources     string        `db:"resources"`
	Offline       bool          `db:"offline"`
	AuthTime      Instant       `db:"auth_time"`
	AMR           string        `db:"amr"`
	ACR           string        `db:"acr"`
	Nonce         string        `db:"nonce"`
	Claims        string        `db:"claims"`
	JKT           string        `db:"jkt"`
	CreatedAt     Instant       `db:"created_at"`
	Code          oauth.Digest  `db:"code"`
	RedirectURI   string        `db:"redirect_uri"`
	Challenge     string        `db:"challenge"`
	CodeExpiresAt Instant       `db:"code_expires_at"`
	RedeemedAt    Instant       `db:"redeemed_at"`
	Refresh       oauth.Digest  `db:"refresh"`
	Previous      oauth.Digest  `db:"previous"`
	RotatedAt     Instant       `db:"rotated_at"`
	LastUsedAt    Instant       `db:"last_used_at"`
	IdleSeconds   int64         `db:"idle_seconds"`
	ExpiresAt     Instant       `db:"expires_at"`
	EndedAt       Instant       `db:"ended_at"`
	EndReason     string        `db:"end_reason"`
	Source        oauth.GrantID `db:"source"`
	Met           int64         `db:"met"`
	OwnerMet      int64         `db:"owner_met"`
	Version       int64         `db:"version"`
}

// Snapshot returns the stored grant.
func (r *GrantRow) Snapshot() (oauth.GrantSnapshot, error) {
	var lists [3][]string
	for i, text := range []string{r.Scopes, r.Resources, r.AMR} {
		var err error
		if lists[i], err = DecodeList[string](text); err != nil {
			return oauth.GrantSnapshot{}, fmt.Errorf("decode the grant %s: %w", r.ID, err)
		}
	}
	return oauth.GrantSnapshot{
		ID: r.ID,
		Authorization: oauth.Authorization{
			AppID: r.AppID, UserID: r.UserID, OrgID: r.OrgID, SessionID: r.SessionID, Subject: cmp.Or(r.Subject, r.UserID.String()), Scopes: lists[0], Resources: lists[1],
			Offline: r.Offline, AuthTime: r.AuthTime.Time, AMR: lists[2], ACR: r.ACR, Nonce: r.Nonce, Claims: r.Claims, JKT: r.JKT, Met: r.Met, OwnerMet: r.OwnerMet,
		},
		CreatedAt: r.CreatedAt.Time,
		Code: oauth.Code{
			Digest: r.Code, RedirectURI: r.RedirectURI, Challenge: r.Challenge, ExpiresAt: r.CodeExpiresAt.Time,
		},
		RedeemedAt: r.RedeemedAt.Time, Refresh: r.Refresh, Previous: r.Previous, RotatedAt: r.RotatedAt.Time,
		LastUsedAt: r.LastUsedAt.Time, Idle: time.Duration(r.IdleSeconds) * time.Second, ExpiresAt: r.ExpiresAt.Time,
		EndedAt: r.EndedAt.Time, EndReason: r.EndReason, Source: r.Source,
	}, nil
}

// GrantCells returns what is stored of a grant, its identifier first.
func GrantCells(s oauth.GrantSnapshot) (Row, error) {
	var lists [3]string
	for i, list := range [][]string{s.Scopes, s.Resources, s.AMR} {
		var err error
		if lists[i], err = EncodeList(list); err != nil {
			return nil, fmt.Errorf("encode the grant %s: %w", s.ID, err)
		}
	}
	return Row{
		{"id", s.ID.String()},
		{"app_id", s.AppID.String()},
		{"user_id", s.UserID.String()},
		{"org_id", s.OrgID.String()},
		{"session_id", s.SessionID.String()},
		{"subject", s.Subject},
		{"scopes", lists[0]},
		{"resources", lists[1]},
		{"offline", s.Offline},
		{"auth_time", At(s.AuthTime)},
		{"amr", lists[2]},
		{"acr", s.ACR},
		{"nonce", s.Nonce},
		{"claims", s.Claims},
		{"jkt", s.JKT},
		{"created_at", At(s.CreatedAt)},
		{"code", string(s.Code.Digest)},
		{"redirect_uri", s.Code.RedirectURI},
		{"challenge", s.Code.Challenge},
		{"code_expires_at", At(s.Code.ExpiresAt)},
		{"redeemed_at", At(s.RedeemedAt)},
		{"refresh", string(s.Refresh)},
		{"previous", string(s.Previous)},
		{"rotated_at", At(s.RotatedAt)},
		{"last_used_at", At(s.LastUsedAt)},
		{"idle_seconds", int64(s.Idle / time.Second)},
		{"expires_at", At(s.ExpiresAt)},
		{"ended_at", At(s.EndedAt)},
		{"end_reason", s.EndReason},
		{"source", s.Source.String()},
		{"met", s.Met},
		{"owner_met", s.OwnerMet},
		{"purge_at", At(s.PurgeAt())},
	}, nil
}
