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
	ID         apikey.ID    `json:"id" doc:"ID of the API key."`
	UserID     user.ID      `json:"user_id" doc:"ID of the user who owns the key."`
	OrgID      workspace.ID `json:"org_id" doc:"ID of the workspace the key acts in."`
	Name       string       `json:"name" doc:"Name of the key."`
	Prefix     string       `json:"prefix" doc:"Leading part of the key." jsonschema:"example=ak_live_4fQz"`
	Scopes     []string     `json:"scopes" doc:"Permissions of the key, or patterns of permissions. Each call is limited to those the owner holds at that time." jsonschema:"example=apps:read"`
	AllowedIPs []string     `json:"allowed_ips" doc:"IP addresses and CIDR networks the key can be used from. Empty if all are allowed." jsonschema:"example=192.0.2.0/24"`
	Status     string       `json:"status" doc:"Status of the key itself. An active key is still rejected if, for example, its owner is disabled." jsonschema:"enum=active,enum=expired,enum=revoked"`
	CreatedAt  time.Time    `json:"created_at" doc:"When the key was created."`
	ExpiresAt  *time.Time   `json:"expires_at" doc:"When the key expires. Null if it never expires."`
	LastUsedAt *time.Time   `json:"last_used_at" doc:"When the key was last used, to the minute. Null if it was never used."`
	RevokedAt  *time.Time   `json:"revoked_at" doc:"When the key was revoked. Null if it was not."`
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
