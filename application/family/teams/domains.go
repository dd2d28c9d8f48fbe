package teams

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/role"
)

// The permissions of domains.
const (
	readingDomains = "domains:read"
	writingDomains = "domains:write"
)

// Domain is a claimed domain in results.
type Domain struct {
	ID           maildomain.ID `json:"id" doc:"ID of the domain claim."`
	Domain       email.Domain  `json:"domain" doc:"Domain name, in lower case and in its DNS form."`
	Status       DomainStatus  `json:"status" doc:"Status of the claim: pending if the record was not found yet or was lost, verified if the domain belongs to the workspace."`
	AutoJoin     bool          `json:"auto_join" doc:"Whether people with an address at the domain join the workspace when they sign in or verify the address. It takes effect once the domain is verified, and for addresses bound to the account."`
	Role         string        `json:"role" doc:"Role that people join with."`
	RequireSSO   bool          `json:"require_sso" doc:"Whether people with an address at the domain must use single sign-on. It takes effect once the workspace has a connection."`
	DNSRecord    DNSRecord     `json:"dns_record" doc:"DNS record that proves ownership. Keep it published; it is checked daily."`
	CreatedAt    time.Time     `json:"created_at" doc:"When the domain was claimed."`
	VerifiedAt   time.Time     `json:"verified_at,omitzero" doc:"When the domain was verified. Omitted while it is not verified."`
	CheckedAt    time.Time     `json:"checked_at,omitzero" doc:"When DNS last answered. Omitted until the domain is first verified."`
	MissingSince time.Time     `json:"missing_since,omitzero" doc:"Since when the record of a verified domain has been missing. Omitted while it is not missing."`
	LostAt       time.Time     `json:"lost_at,omitzero" doc:"When the workspace loses the domain because its record is missing. Omitted while it is not missing."`
}

// DomainStatus is whether a domain is the workspace's.
type DomainStatus string

// The states of a domain.
const (
	domainPending  DomainStatus = "pending"
	domainVerified DomainStatus = "verified"
)

// SchemaFragment describes the status in a JSON Schema.
func (DomainStatus) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(domainPending), string(domainVerified)}}
}

// DNSRecord is a record to publish.
type DNSRecord struct {
	Type  string `json:"type" doc:"Type of the record. Always TXT."`
	Name  string `json:"name" doc:"Name of the record. Many DNS providers expect it without the domain at its end."`
	Value string `json:"value" doc:"Value of the record."`
}

// DomainParams name a domain of the workspace.
type DomainParams struct {
	ID maildomain.ID `json:"domain_id" doc:"ID of the domain claim."`
}

// DomainResult is a domain after a change.
type DomainResult struct {
	Domain Domain `json:"domain" doc:"The domain."`
}

func ofDomain(s maildomain.Snapshot, book *role.Book) Domain {
	record := s.Record()
	shown := Domain{
		ID: s.ID, Domain: s.Name, Status: domainPending, AutoJoin: s.AutoJoin, Role: nameOf(book, s.Role), RequireSSO: s.RequireSSO,
		DNSRecord: DNSRecord{Type: "TXT", Name: record.Name, Value: record.Value},
		CreatedAt: s.CreatedAt, VerifiedAt: s.VerifiedAt, CheckedAt: s.CheckedAt, MissingSince: s.MissingSince, LostAt: s.LostAt(),
	}
	if s.Verified() {
		shown.Status = domainVerified
	}
	return shown
}

// domains lists the commands about domains.
func (s *Service) domains() []command.Definition {
	return []command.Definition{
		s.domainAdd(),
		s.domainList(),
		s.domainVerify(),
		s.domainUpdate(),
		s.domainRemove(),
	}
}

// joinedBy returns the key of the role that people of a domain join with, when a caller may give
// it, and anybody may get it by their address alone. It fails like rolegrant.AllowIn, and
// with maildomain.ErrMighty.
func joinedBy(book *role.Book, caller access.Caller, name string) (string, error) {
	given, err := rolegrant.AllowIn(book, caller, name)
	if err == nil && !maildomain.Joinable(given.Permissions) {
		err = maildomain.ErrMighty
	}
	return given.Key(), err
}

// showDomain returns a domain of the caller's workspace as a result.
func (s *Service) showDomain(ctx context.Context, of maildomain.Snapshot) (DomainResult, error) {
	book, err := s.Books.Now(ctx, of.OrgID)
	if err != nil {
		return DomainResult{}, err
	}
	return DomainResult{ofDomain(of, book)}, nil
}
