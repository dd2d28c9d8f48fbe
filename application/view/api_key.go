package view

import (
	"net/netip"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// APIKey is a user's API key in results (specification section 2.11).
type APIKey struct {
	ID         apikey.ID    `json:"id" doc:"Identifier of the key."`
	UserID     user.ID      `json:"user_id" doc:"Whose it is."`
	OrgID      workspace.ID `json:"org_id" doc:"The workspace it acts in."`
	Name       string       `json:"name" doc:"What it is called."`
	Prefix     string       `json:"prefix" doc:"Leading part of the key." jsonschema:"example=ak_live_4fQz"`
	Scopes     []string     `json:"scopes" doc:"Permissions, or patterns of them; the key has what its user holds of them at the time of a call." jsonschema:"example=apps:read"`
	AllowedIPs []string     `json:"allowed_ips" doc:"Addresses and networks it may be used from; none: from anywhere." jsonschema:"example=192.0.2.0/24"`
	Status     string       `json:"status" doc:"Whether it may be used, as far as that is the key's own matter." jsonschema:"enum=active,enum=expired,enum=revoked"`
	CreatedAt  time.Time    `json:"created_at" doc:"When it was made."`
	ExpiresAt  *time.Time   `json:"expires_at" doc:"When it ends by itself; null: never."`
	LastUsedAt *time.Time   `json:"last_used_at" doc:"When it was used last, to the minute; null: never."`
	RevokedAt  *time.Time   `json:"revoked_at" doc:"When it was revoked; null: it was not."`
}

// OfAPIKey returns a key, with its last use, at a time.
func OfAPIKey(s apikey.Snapshot, used, now time.Time) APIKey {
	networks := make([]string, len(s.AllowedIPs))
	for i, network := range s.AllowedIPs {
		networks[i] = written(network)
	}
	return APIKey{
		ID: s.ID, UserID: s.UserID, OrgID: s.OrgID, Name: s.Name, Prefix: s.Prefix, Scopes: s.Scopes, AllowedIPs: networks,
		Status: string(s.Status(now)), CreatedAt: s.CreatedAt, ExpiresAt: Time(s.ExpiresAt), LastUsedAt: Time(used),
		RevokedAt: Time(s.RevokedAt),
	}
}

// written returns the network of one address as that address.
func written(network netip.Prefix) string {
	if network.IsSingleIP() {
		return network.Addr().String()
	}
	return network.String()
}
