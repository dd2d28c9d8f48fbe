package teams

import (
	"cmp"
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

// TokenParams name an invitation by its token.
type TokenParams struct {
	Token secret.String `json:"token" doc:"Token from the emailed link." jsonschema:"minLength=1,maxLength=512"`
}

// InvitationGetResult is the result of TEAM.INVITATION_GET.
type InvitationGetResult struct {
	Organization Host      `json:"organization" doc:"The workspace."`
	Email        string    `json:"email" doc:"Invited email address."`
	EmailHint    string    `json:"email_hint" doc:"Invited email address, mostly masked."`
	Role         string    `json:"role" doc:"Name of the offered role."`
	InvitedBy    string    `json:"invited_by" doc:"Display name or email address of the sender. Empty if an app sent the invitation, or if the sender's address is not verified."`
	Message      string    `json:"message" doc:"Message from the sender, or empty. Show it as plain text; it is not checked."`
	ExpiresAt    time.Time `json:"expires_at" doc:"When the invitation expires."`
}

// Host is a workspace as its guests see it.
type Host struct {
	ID      workspace.ID   `json:"id" doc:"ID of the workspace."`
	Name    string         `json:"name" doc:"Display name."`
	Slug    workspace.Slug `json:"slug" doc:"Short name of the workspace in links."`
	LogoURL string         `json:"logo_url" doc:"https URL of a picture, or empty."`
}

func (s *Service) invitationGet() command.Definition {
	return command.Define(command.Spec[TokenParams, InvitationGetResult]{
		Name:        "TEAM.INVITATION_GET",
		Summary:     "Look up an invitation by its token, without accepting it.",
		Description: "Anyone who has the token can read the invitation.",
		Access:      access.Public(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, _ command.Call, p TokenParams) (InvitationGetResult, error) {
			found, err := s.Inviting.Look(ctx, invitations.Digest(p.Token))
			if err != nil {
				return InvitationGetResult{}, err
			}
			book, err := s.Books.Now(ctx, found.OrgID)
			if err != nil {
				return InvitationGetResult{}, gone(err)
			}
			w, err := s.Directory.Find(ctx, found.OrgID)
			if err != nil {
				return InvitationGetResult{}, gone(err)
			}
			by, err := s.inviter(ctx, found.By.User)
			return InvitationGetResult{
				Organization: Host{w.ID, w.Name, w.Slug, w.LogoURL}, Email: found.Email.String(), EmailHint: found.Email.Hint(), Role: nameOf(book, found.Role),
				InvitedBy: by, Message: found.Message, ExpiresAt: found.ExpiresAt,
			}, err
		},
	})
}

// gone answers a guest of a deleted workspace as if the invitation had ended.
func gone(err error) error {
	if errors.Is(err, workspace.ErrNotFound) {
		return invitation.ErrGone
	}
	return err
}

// inviter returns the name or address of who sent an invitation, or "". Anybody may give
// an address that is not verified, and any name.
func (s *Service) inviter(ctx context.Context, by user.ID) (string, error) {
	if by == "" {
		return "", nil
	}
	found, err := s.People.Find(ctx, people.UserKey{ID: by})
	if errors.Is(err, user.ErrNotFound) || err == nil && !found.EmailVerified {
		return "", nil
	}
	return cmp.Or(found.DisplayName, found.Email.String()), err
}
