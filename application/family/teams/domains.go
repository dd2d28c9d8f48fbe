package teams

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/granting"
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
	ID           maildomain.ID `json:"id" doc:"Identifier of the claim."`
	Domain       email.Domain  `json:"domain" doc:"The domain, in lower case and as DNS writes it."`
	Status       DomainStatus  `json:"status" doc:"pending: the record was not found yet, or was lost. verified: it is the workspace's."`
	AutoJoin     bool          `json:"auto_join" doc:"Whether people with an address there, bound to their account, join the workspace when they sign in or verify it, once the domain is verified."`
	Role         string        `json:"role" doc:"Role that they join with."`
	RequireSSO   bool          `json:"require_sso" doc:"Whether they must sign in by single sign-on, once there is a connection."`
	DNSRecord    DNSRecord     `json:"dns_record" doc:"What proves that the domain is the workspace's. Leave it there: it is looked for daily."`
	CreatedAt    time.Time     `json:"created_at" doc:"When it was claimed."`
	VerifiedAt   time.Time     `json:"verified_at,omitzero" doc:"Since when it is the workspace's; absent while it is not."`
	CheckedAt    time.Time     `json:"checked_at,omitzero" doc:"When DNS last answered; absent before the first answer that proved it."`
	MissingSince time.Time     `json:"missing_since,omitzero" doc:"Since when DNS does not show the record of a verified domain any more; absent while it does."`
	LostAt       time.Time     `json:"lost_at,omitzero" doc:"When a domain whose record is missing stops being the workspace's; absent while it is not missing."`
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
	Type  string `json:"type" doc:"Always TXT."`
	Name  string `json:"name" doc:"Name that the record stands at; many providers want it without the domain at its end."`
	Value string `json:"value" doc:"Its text."`
}

// DomainParams name a domain of the workspace.
type DomainParams struct {
	ID maildomain.ID `json:"domain_id" doc:"The claim."`
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
// it, and anybody may get it by their address alone. It fails like granting.AllowIn, and
// with maildomain.ErrMighty.
func joinedBy(book *role.Book, caller access.Caller, name string) (string, error) {
	given, err := granting.AllowIn(book, caller, name)
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
