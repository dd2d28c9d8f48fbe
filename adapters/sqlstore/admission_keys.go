package sqlstore

import (
	"fmt"
	"net/netip"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// apiKeyRow is an API key with its account and that one's roles in its workspace.
type apiKeyRow struct {
	id, org, scopes, allowed  string
	ends, textEnds, revokedAt Instant
	user                      UserRow
	// grants and groups are NULL when the user is no member any more.
	grants, groups *string
	rights         int64
	suspended      Instant
}

func (r *apiKeyRow) into() []any {
	own := []any{&r.id, &r.org, &r.scopes, &r.allowed, &r.ends, &r.textEnds, &r.revokedAt}
	return append(append(own, r.user.into()...), &r.grants, &r.groups, &r.rights, &r.suspended)
}

func (r *apiKeyRow) answer(s *Store, into *outbound.AdmissionAnswer) error {
	k := &outbound.KeyIdentity{
		ID: apikey.ID(r.id), Org: workspace.ID(r.org), ExpiresAt: r.ends.Time, RevokedAt: r.revokedAt.Time,
		Member: r.grants != nil, Suspended: !r.suspended.IsZero(),
	}
	if !r.textEnds.IsZero() && (k.ExpiresAt.IsZero() || r.textEnds.Before(k.ExpiresAt)) {
		k.ExpiresAt = r.textEnds.Time
	}
	var err error
	if k.Scopes, err = DecodeList[string](r.scopes); err != nil {
		return fmt.Errorf("decode the scopes of a key: %w", err)
	}
	open := s.RowOpener("api_keys", r.id)
	allowed := open.Value("allowed_ips", r.allowed)
	if open.Err != nil {
		return fmt.Errorf("open the networks of a key: %w", open.Err)
	}
	if k.AllowedIPs, err = DecodeList[netip.Prefix](allowed); err != nil {
		return fmt.Errorf("decode the networks of a key: %w", err)
	}
	if r.grants != nil {
		if k.Held, err = HoldingOf(k.Org, *r.grants, *r.groups, r.rights); err != nil {
			return err
		}
	}
	k.User, err = s.UserSnapshot(&r.user)
	into.Key = k
	return err
}
