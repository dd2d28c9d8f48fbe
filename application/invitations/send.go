package invitations

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Draft are the terms offered by a caller.
type Draft struct {
	Role    string
	Message string
	Days    int
}

// Reason is why an address was not invited. None depends on whether it has an account.
type Reason string

// The reasons.
const (
	Member   Reason = "member"
	Repeated Reason = "repeated"
	Limited  Reason = "limited"
)

// SchemaFragment describes the reason in a JSON Schema.
func (Reason) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(Member), string(Repeated), string(Limited)}}
}

// SkippedAddress is an address that was not invited.
type SkippedAddress struct {
	Email  email.Address `json:"email" doc:"The address."`
	Reason Reason        `json:"reason" doc:"member: a member of the workspace has it. repeated: it came before in the list. limited: the workspace sent 100 invitations within an hour, the address got 5 within a day, or you or the instance sent as many as the settings allow."`
	// Wait is how long the limit lasts.
	Wait time.Duration `json:"-"`
}

// SendResult are the results by address.
type SendResult struct {
	Invited []invitation.Snapshot
	Skipped []SkippedAddress
}

// Invite offers a role in the caller's workspace to addresses, and mails it to them. It
// fails as rolegrant.Allow does; addresses that cannot be invited are skipped.
func (s *Service) Invite(ctx context.Context, call command.Call, draft Draft, addresses []email.Address) (SendResult, error) {
	err := s.Unit.Do(ctx, func(tx Repos) error {
		_, err := rolegrant.Allow(ctx, tx.Books, call.Caller, call.Caller.Org, draft.Role)
		return err
	})
	if err != nil {
		return SendResult{}, err
	}
	sent, left, err := s.sift(ctx, call.Caller, addresses)
	if err != nil {
		return SendResult{}, err
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		sent.Invited = nil
		given, err := rolegrant.Allow(ctx, tx.Books, call.Caller, call.Caller.Org, draft.Role)
		if err != nil {
			return err
		}
		offer := invitation.Offer{Role: given.Key(), Message: draft.Message, Days: draft.Days, By: sender(call.Caller)}
		for _, address := range left {
			i, err := s.open(ctx, tx, call.Caller.Org, address, offer)
			if err != nil {
				return err
			}
			if err := tx.send(ctx, call.Caller, i); err != nil {
				return err
			}
			sent.Invited = append(sent.Invited, i.Snapshot())
		}
		return nil
	})
	return sent, err
}

// sift skips the addresses that are not to be invited, and counts the others.
func (s *Service) sift(ctx context.Context, by access.Caller, addresses []email.Address) (sent SendResult, left []email.Address, err error) {
	seen := map[string]bool{}
	for _, address := range addresses {
		if seen[address.Folded()] {
			sent.Skipped = append(sent.Skipped, SkippedAddress{Email: address, Reason: Repeated})
			continue
		}
		seen[address.Folded()] = true
		belongs, err := s.Directory.Belongs(ctx, by.Org, address)
		if err != nil {
			return SendResult{}, nil, err
		}
		if belongs {
			sent.Skipped = append(sent.Skipped, SkippedAddress{Email: address, Reason: Member})
			continue
		}
		left = append(left, address)
	}
	admitted, refused, err := s.count(ctx, by, left)
	sent.Skipped = append(sent.Skipped, refused...)
	return sent, admitted, err
}

// Refusals of invitations that nobody with a verified address answers for.
var (
	errUnproved  = fault.New(fault.Denied, "your email address is not verified: verify it with AUTH.VERIFY_EMAIL first")
	errNoSponsor = fault.New(fault.Denied, "no owner of the workspace has a verified email address: an owner must verify theirs with AUTH.VERIFY_EMAIL")
)

// inviter returns the account that answers for the invitations of a caller: the person or, for an
// app, an owner of its workspace. It fails if the address of that account is not verified.
func (s *Service) inviter(ctx context.Context, by access.Caller) (found user.ID, err error) {
	if by.User == "" {
		found, err = s.Directory.Sponsor(ctx, by.Org)
		if err == nil && found == "" {
			err = errNoSponsor
		}
		return found, err
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		u, err := tx.Users.ByID(ctx, by.User)
		if err == nil && !u.Snapshot().EmailVerified {
			err = errUnproved
		}
		return err
	})
	return by.User, err
}

// count counts a mail to each address, and parts those that get one from those that had
// their share. The counters are outside the transaction of the call.
func (s *Service) count(ctx context.Context, by access.Caller, addresses []email.Address) (admitted []email.Address, refused []SkippedAddress, err error) {
	inviter, err := s.inviter(ctx, by)
	if err != nil {
		return nil, nil, err
	}
	most := s.Instance.State().Settings
	err = s.Transactions.Pause(ctx, func() error {
		for _, address := range addresses {
			answer, err := s.Limits.Admit(ctx, outbound.AdmissionAsk{Checks: []outbound.LimitCheck{
				{Key: s.Blinder.Index(label.InvitationsWorkspace, by.Org.String()), Rule: limit.Rule{Limit: workspaceHourly, Window: time.Hour}},
				{Key: s.Blinder.Index(label.InvitationsInviter, inviter.String()), Rule: limit.Rule{Limit: most.MaxInvitationsPerUser, Window: time.Hour}},
				{Key: s.Blinder.Index(label.InvitationsInstance, ""), Rule: limit.Rule{Limit: most.MaxInvitations, Window: time.Hour}},
				{Key: s.Blinder.Index(label.InvitationsMailbox, address.Folded()), Rule: limit.Rule{Limit: mailboxDaily, Window: day}},
			}})
			if err != nil {
				return err
			}
			allowed, wait := true, time.Duration(0)
			for _, v := range answer.Verdicts {
				allowed, wait = allowed && v.Allowed, max(wait, v.RetryAfter)
			}
			if allowed {
				admitted = append(admitted, address)
			} else {
				refused = append(refused, SkippedAddress{Email: address, Reason: Limited, Wait: wait})
			}
		}
		return nil
	})
	return admitted, refused, err
}

// Refusal is the error of a call that is about one address, which was skipped.
func (sk SkippedAddress) Refusal() error {
	if sk.Reason == Member {
		return invitation.ErrMember
	}
	refusal := fault.New(fault.RateLimited, "invitation limit reached for you, the workspace, the instance or this email address: wait until the time in Retry-After has passed")
	refusal.RetryAfter = sk.Wait
	return refusal
}

// open makes an invitation, or renews the one that is open.
func (s *Service) open(ctx context.Context, tx Repos, org workspace.ID, address email.Address, offer invitation.Offer) (*invitation.Invitation, error) {
	i, err := tx.Invitations.Open(ctx, org, address)
	switch {
	case errors.Is(err, invitation.ErrNotFound):
		return invitation.New(invitation.NewID(s.IDs), org, address, offer, s.Clock.Now()), nil
	case err != nil:
		return nil, err
	}
	return i, i.Renew(address, offer, s.Clock.Now())
}

// Resend renews an invitation of the caller's workspace with its terms. It fails with
// invitation.ErrNotFound, ErrEnded, like rolegrant.Allow, and with RATE_LIMITED.
func (s *Service) Resend(ctx context.Context, call command.Call, id invitation.ID) (invitation.Snapshot, error) {
	var found invitation.Snapshot
	err := s.Unit.Do(ctx, func(tx Repos) error {
		i, err := s.renew(ctx, tx, call.Caller, id)
		if err == nil {
			found = i.Snapshot()
		}
		return err
	})
	if err != nil {
		return invitation.Snapshot{}, err
	}
	_, refused, err := s.count(ctx, call.Caller, []email.Address{found.Email})
	if err != nil {
		return invitation.Snapshot{}, err
	}
	if len(refused) > 0 {
		return invitation.Snapshot{}, refused[0].Refusal()
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		i, err := s.renew(ctx, tx, call.Caller, id)
		if err != nil {
			return err
		}
		found = i.Snapshot()
		return tx.send(ctx, call.Caller, i)
	})
	return found, err
}

// renew returns an invitation as it is to be sent again by a caller.
func (s *Service) renew(ctx context.Context, tx Repos, by access.Caller, id invitation.ID) (*invitation.Invitation, error) {
	i, err := tx.Invitations.ByID(ctx, id)
	if err != nil {
		return nil, err
	}
	sent := i.Snapshot()
	if sent.OrgID != by.Org {
		return nil, invitation.ErrNotFound
	}
	book, err := rolegrant.Hold(ctx, tx.Books, by, sent.OrgID)
	if err != nil {
		return nil, err
	}
	given, known := book.ByKey(sent.Role)
	if !known {
		return nil, role.ErrUnknown
	}
	if err := rolegrant.Covers(by, given.Permissions); err != nil {
		return nil, err
	}
	offer := invitation.Offer{Role: sent.Role, Message: sent.Message, Days: sent.Days(), By: sender(by)}
	return i, i.Renew(sent.Email, offer, s.Clock.Now())
}

func sender(c access.Caller) invitation.Sender {
	if c.User != "" {
		return invitation.Sender{User: c.User}
	}
	return invitation.Sender{App: c.App}
}

// send stores an invitation and queues its mail. The message is shown on the page of the
// link only.
func (tx Repos) send(ctx context.Context, by access.Caller, i *invitation.Invitation) error {
	if err := tx.Invitations.Save(ctx, i); err != nil {
		return err
	}
	s := i.Snapshot()
	w, err := tx.Workspaces.ByID(ctx, s.OrgID)
	if err != nil {
		return err
	}
	token, err := strictjson.Encode(invitation.Token{ID: s.ID, Round: s.Round})
	if err != nil {
		return err
	}
	return tx.Mails.Queue(ctx, mail.Request{
		Template: mail.Invitation, To: s.Email, Guest: true,
		Link:  mail.Link{Kind: challenge.Invitation, Minutes: int(s.ExpiresAt.Sub(s.SentAt) / time.Minute), Page: "/invitation", Content: token},
		Facts: facts(by, w.Snapshot().Name),
	})
}

// facts returns what the mail says. It names the person who invites only if their address
// is verified: anybody may give another one, and any name.
func facts(by access.Caller, workspace string) map[string]string {
	known := map[string]string{"workspace": workspace}
	if by.User != "" && by.Profile.EmailVerified {
		known["inviter"], known["inviter_email"] = by.Profile.DisplayName, by.Profile.Email.String()
	}
	return known
}
