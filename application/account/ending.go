package account

import (
	"context"
	"slices"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/delegation"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
)

// AccessRepos holds the repositories of an account and of everything that ends with its
// credentials.
type AccessRepos struct {
	Users      people.Users
	Sessions   people.Sessions
	Challenges signin.Challenges
	Devices    signin.Devices
	APIKeys    machines.APIKeys

	DelegationRepos
}

// DelegationRepos holds the repositories of the access that a person granted to apps.
type DelegationRepos struct {
	Grants   delegation.Grants
	Consents delegation.Consents
}

// Part is one kind of access to an account.
type Part string

// The kinds of access that end with an account's credentials.
const (
	Sessions Part = "sessions"
	Codes    Part = "codes"
	Devices  Part = "devices"
	Keys     Part = "keys"
	Apps     Part = "apps"
)

// Parts lists everything that ends with an account's credentials. It is the only list:
// whatever resets a password or disables an account ends all of it.
//
//   - Codes: mailed codes and links, sign-ins that wait for a second factor, and those that
//     a session allowed a program.
//   - Devices: remembered devices, which skip the second factor.
//   - Keys: API keys.
//   - Apps: OAuth grants with their tokens, codes and approved devices, and the consents,
//     so that no app gets a new grant without asking. They end before the sessions, with
//     which some of them would end uncounted.
//   - Sessions: every session, including those of support that acts as the person.
func Parts() []Part { return []Part{Codes, Devices, Keys, Apps, Sessions} }

// EndOptions say which access to an account ends, and why.
type EndOptions struct {
	// Except is a session that stays.
	Except session.ID
	// Reason is one of the reasons of package session.
	Reason string
	// Keep lists what does not end.
	Keep []Part
}

// Ended counts what ended.
type Ended struct {
	Sessions int `json:"sessions_revoked" doc:"Number of sessions that ended."`
	Keys     int `json:"keys_revoked" doc:"Number of API keys that ended."`
	Grants   int `json:"grants_revoked" doc:"Number of OAuth grants that ended, each with all its tokens. Includes devices that were approved but have not collected their tokens yet."`
	Codes    int `json:"codes_revoked" doc:"Number of sign-ins under way that ended: emailed codes and links, and sign-ins waiting for a second factor."`
}

// Plus adds up what ended in two steps.
func (e Ended) Plus(o Ended) Ended {
	return Ended{Sessions: e.Sessions + o.Sessions, Keys: e.Keys + o.Keys, Grants: e.Grants + o.Grants, Codes: e.Codes + o.Codes}
}

// EndedKinds lists the kinds of events that End emits.
func EndedKinds() []event.Kind {
	return []event.Kind{session.KindRevoked, apikey.KindRevoked, oauth.KindRevoked, oauth.KindConsentRevoked}
}

// endingBatch is how many rows of a kind are read at a time.
const endingBatch = 200

// End stores an account and ends its access. The account is stored first, even if it is
// unchanged: a concurrent login stores it as well, so it conflicts and starts over instead
// of opening a session afterwards, and an API key that is being made is either seen or
// finds the account changed. A caller that reads or stores anything before End must call
// HoldOff first.
func (tx AccessRepos) End(ctx context.Context, u *user.User, e EndOptions, now time.Time) (Ended, error) {
	if err := tx.Sessions.HoldOff(ctx, u.ID(), e.Except); err != nil {
		return Ended{}, err
	}
	if err := tx.Users.Save(ctx, u); err != nil {
		return Ended{}, err
	}
	var all Ended
	for _, part := range Parts() {
		if slices.Contains(e.Keep, part) {
			continue
		}
		ended, err := tx.endPart(ctx, part, u.ID(), e, now)
		if err != nil {
			return Ended{}, err
		}
		all = all.Plus(ended)
	}
	return all, nil
}

func (tx AccessRepos) endPart(ctx context.Context, part Part, of user.ID, e EndOptions, now time.Time) (ended Ended, err error) {
	switch part {
	case Sessions:
		ended.Sessions, err = tx.endSessions(ctx, of, e, now)
	case Codes:
		ended.Codes, err = DropLogins(ctx, tx.Challenges, of)
	case Devices:
		err = tx.Devices.RevokeAll(ctx, of)
	case Keys:
		ended.Keys, err = EndKeys(ctx, tx.APIKeys, machines.APIKeyQuery{User: of}, e.Reason, now)
	case Apps:
		ended.Grants, err = tx.EndApps(ctx, of, e.Reason, now)
	}
	return ended, err
}

func (tx AccessRepos) endSessions(ctx context.Context, of user.ID, e EndOptions, now time.Time) (int, error) {
	which := people.SessionQuery{User: of, Except: e.Except, Limit: endingBatch, Now: now}
	for ended := 0; ; {
		open, err := tx.Sessions.Matching(ctx, which)
		if err != nil {
			return 0, err
		}
		for _, one := range open {
			one.End(e.Reason, now)
			if err := tx.Sessions.Save(ctx, one); err != nil {
				return 0, err
			}
		}
		if ended += len(open); len(open) < endingBatch {
			return ended, nil
		}
	}
}

// EndApps ends the access of every app to an account, and returns the number of grants.
// The consents go first: a grant that is being issued by one is either seen or refused.
func (tx DelegationRepos) EndApps(ctx context.Context, of user.ID, reason string, now time.Time) (int, error) {
	if err := tx.endConsents(ctx, of); err != nil {
		return 0, err
	}
	return EndGrants(ctx, tx.Grants, delegation.GrantQuery{User: of}, reason, now)
}

// EndGrants ends the grants that match and returns how many.
func EndGrants(ctx context.Context, grants delegation.Grants, which delegation.GrantQuery, reason string, now time.Time) (int, error) {
	which.Limit, which.Now = endingBatch, now
	for ended := 0; ; {
		held, err := grants.Matching(ctx, which)
		if err != nil {
			return 0, err
		}
		for _, one := range held {
			one.End(reason, now)
			if err := grants.Save(ctx, one); err != nil {
				return 0, err
			}
		}
		if ended += len(held); len(held) < endingBatch {
			return ended, nil
		}
	}
}

func (tx DelegationRepos) endConsents(ctx context.Context, of user.ID) error {
	for {
		given, err := tx.Consents.Of(ctx, of, endingBatch)
		if err != nil {
			return err
		}
		for _, one := range given {
			one.Revoke()
			if err := tx.Consents.Remove(ctx, one); err != nil {
				return err
			}
		}
		if len(given) < endingBatch {
			return nil
		}
	}
}

// EndKeys ends the active API keys that match and returns how many.
func EndKeys(ctx context.Context, keys machines.APIKeys, which machines.APIKeyQuery, reason string, now time.Time) (int, error) {
	which.Status, which.Limit, which.Now = apikey.Active, endingBatch, now
	for ended := 0; ; {
		active, err := keys.Matching(ctx, which)
		if err != nil {
			return 0, err
		}
		for _, one := range active {
			one.End(reason, now)
			if err := keys.Save(ctx, one); err != nil {
				return 0, err
			}
		}
		if ended += len(active); len(active) < endingBatch {
			return ended, nil
		}
	}
}

// DropLogins deletes pending logins that are based on less proof than is required now,
// and returns how many: those waiting for a factor or a code, and mailed links, including
// those that change the address.
func DropLogins(ctx context.Context, waiting signin.Challenges, of user.ID) (int, error) {
	return waiting.Drop(ctx, signin.ChallengeQuery{About: of, Kinds: []challenge.Kind{
		challenge.SecondFactor, challenge.LoginCode, challenge.LoginLink,
		challenge.PasswordReset, challenge.EmailChange, challenge.FactorEnrollment, challenge.SocialCode,
		challenge.Terminal,
	}})
}
