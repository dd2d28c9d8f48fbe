package teams

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
)

// Invitation is an invitation in results.
type Invitation struct {
	ID         invitation.ID     `json:"id" doc:"ID of the invitation."`
	Email      string            `json:"email" doc:"Invited email address."`
	Role       string            `json:"role" doc:"Name of the offered role."`
	Message    string            `json:"message" doc:"Message on the page of the invitation, or empty."`
	Status     invitation.Status `json:"status" doc:"Status of the invitation."`
	InvitedBy  user.ID           `json:"invited_by,omitzero" doc:"ID of the user who last sent the invitation. Omitted if an app sent it."`
	CreatedAt  time.Time         `json:"created_at" doc:"When the address was first invited."`
	SentAt     time.Time         `json:"sent_at" doc:"When the invitation was last sent."`
	ExpiresAt  time.Time         `json:"expires_at" doc:"When the invitation expires, unless it is accepted or revoked before."`
	AcceptedBy user.ID           `json:"accepted_by,omitzero" doc:"ID of the user who accepted the invitation."`
	EndedAt    time.Time         `json:"ended_at,omitzero" doc:"When the invitation was accepted or revoked."`
}

// InvitationResult is an invitation after a change.
type InvitationResult struct {
	Invitation Invitation `json:"invitation" doc:"The invitation."`
}

func ofInvitation(s invitation.Snapshot, book *role.Book, now time.Time) Invitation {
	return Invitation{
		ID: s.ID, Email: s.Email.String(), Role: nameOf(book, s.Role), Message: s.Message, Status: s.Status(now), InvitedBy: s.By.User,
		CreatedAt: s.CreatedAt, SentAt: s.SentAt, ExpiresAt: s.ExpiresAt, AcceptedBy: s.AcceptedBy, EndedAt: s.EndedAt,
	}
}

// nameOf returns what a role is called, or "" where it is gone.
func nameOf(book *role.Book, key string) string {
	r, _ := book.ByKey(key)
	return r.Name
}

// showInvitation returns an invitation of the caller's workspace as a result.
func (s *Service) showInvitation(ctx context.Context, sent invitation.Snapshot) (InvitationResult, error) {
	book, err := s.Books.Now(ctx, sent.OrgID)
	if err != nil {
		return InvitationResult{}, err
	}
	return InvitationResult{ofInvitation(sent, book, s.Clock.Now())}, nil
}

// invitations lists the commands about invitations.
func (s *Service) invitations() []command.Definition {
	return []command.Definition{
		s.invite(),
		s.bulkInvite(),
		s.invitationList(),
		s.invitationGet(),
		s.invitationAccept(),
		s.invitationResend(),
		s.invitationRevoke(),
	}
}

// inviteOne invites one address. It fails where that has to be skipped.
func (s *Service) inviteOne(ctx context.Context, call command.Call, to email.Address, draft invitations.Draft) (InvitationResult, error) {
	sent, err := s.Inviting.Invite(ctx, call, draft, []email.Address{to})
	if err != nil {
		return InvitationResult{}, err
	}
	if len(sent.Skipped) > 0 {
		return InvitationResult{}, sent.Skipped[0].Refusal()
	}
	return s.showInvitation(ctx, sent.Invited[0])
}
