package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/ports/outbound/workspaces"
)

// MergeRepos moves the data of one account to another, inside the unit of work that
// deletes the first.
//
// Passkeys and linked accounts move to the target, since an administrator confirms that
// both accounts are the same person's, but nothing that replaces a second factor does.
// The target keeps its own password and factors; those of the source, its remembered
// devices and DPoP keys are deleted. The personal workspace of the source becomes a
// shared one owned by the target, so that its apps, their tokens and its other members
// are unaffected. Pending invitations sent by the source become the target's, limited
// to what the target may grant. Jobs of the source stop, since they act for their
// creator, and their results become inaccessible.
type MergeRepos struct {
	Passkeys   signin.Passkeys
	Identities signin.Identities
	APIKeys    machines.APIKeys
	Workspaces workspaces.Workspaces
	Books      workspaces.Books
	Belonging  workspaces.UserWorkspaces
	Groups     workspaces.Groups
	Merges     people.Merges
	Mails      mailing.Mails
}

// MergeCounts are the numbers of moved objects.
type MergeCounts struct {
	Identities int `json:"identities" doc:"Linked accounts. One of a provider that the target had linked already ends."`
	Passkeys   int `json:"passkeys" doc:"Passkeys."`
	APIKeys    int `json:"api_keys" doc:"API keys, ended ones among them; they act where they did."`
	Workspaces int `json:"workspaces" doc:"Workspaces that the target did not belong to before, the source's personal one among them, which is an ordinary one now."`
	Groups     int `json:"groups" doc:"Groups that the target was not in before."`
	Licenses   int `json:"licenses" doc:"Licenses; named seats of others move too."`
	Customers  int `json:"customers" doc:"Customers of sellers, with their subscriptions and invoices."`
	Relations  int `json:"relations" doc:"Relation tuples that name the target now."`

	Invitations   int `json:"invitations" doc:"Invitations that wait for an answer, of which the target is the sender now."`
	Notifications int `json:"notifications" doc:"Security notices."`
}

// Errors of accounts that would have too much.
var (
	errPasskeys = fault.New(fault.Validation, fmt.Sprintf("the merged account would exceed the limit of %d passkeys: remove passkeys first", passkey.MaxHeld))
	errKeys     = fault.New(fault.Validation, fmt.Sprintf("the merged account would exceed the limit of %d active API keys: revoke API keys first", apikey.MaxActive))
)

// Hold locks both accounts, in an order that two merges of them have in common.
func (tx MergeRepos) Hold(ctx context.Context, accounts ...user.ID) error {
	slices.Sort(accounts)
	for _, one := range accounts {
		if _, err := tx.Passkeys.Held(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// Move moves everything. Both accounts are held.
func (tx MergeRepos) Move(ctx context.Context, from, to user.ID, now time.Time) (moved MergeCounts, err error) {
	if moved.Passkeys, err = tx.passkeys(ctx, from, to); err != nil {
		return MergeCounts{}, err
	}
	if moved.Identities, err = tx.identities(ctx, from, to); err != nil {
		return MergeCounts{}, err
	}
	if moved.APIKeys, err = tx.keys(ctx, from, to, now); err != nil {
		return MergeCounts{}, err
	}
	if moved.Workspaces, moved.Groups, err = tx.workspaces(ctx, from, to, now); err != nil {
		return MergeCounts{}, err
	}
	if moved.Licenses, err = tx.Merges.Licenses(ctx, from, to); err != nil {
		return MergeCounts{}, err
	}
	if moved.Customers, err = tx.Merges.Customers(ctx, from, to); err != nil {
		return MergeCounts{}, err
	}
	if moved.Relations, err = tx.Merges.Relations(ctx, from, to); err != nil {
		return MergeCounts{}, err
	}
	if moved.Invitations, err = tx.Merges.Invitations(ctx, from, to); err != nil {
		return MergeCounts{}, err
	}
	moved.Notifications, err = tx.Merges.Notices(ctx, from, to)
	return moved, err
}

func (tx MergeRepos) passkeys(ctx context.Context, from, to user.ID) (int, error) {
	theirs, err := tx.Passkeys.Held(ctx, from)
	if err != nil {
		return 0, err
	}
	own, err := tx.Passkeys.Held(ctx, to)
	if err != nil {
		return 0, err
	}
	if len(theirs) > 0 && len(theirs)+len(own) > passkey.MaxHeld {
		return 0, errPasskeys
	}
	for _, one := range theirs {
		held, err := tx.Passkeys.ByID(ctx, one.ID)
		if err != nil {
			return 0, err
		}
		held.Move(to)
		if err := tx.Passkeys.Save(ctx, held); err != nil {
			return 0, err
		}
	}
	return len(theirs), nil
}

func (tx MergeRepos) identities(ctx context.Context, from, to user.ID) (moved int, err error) {
	own, err := tx.Identities.ByUser(ctx, to)
	if err != nil {
		return 0, err
	}
	theirs, err := tx.Identities.ByUser(ctx, from)
	if err != nil {
		return 0, err
	}
	for _, one := range theirs {
		if slices.ContainsFunc(own, func(o *identity.Identity) bool {
			return o.Snapshot().Upstream.Provider == one.Snapshot().Upstream.Provider
		}) {
			one.Unlink()
			if err := tx.Identities.Delete(ctx, one); err != nil {
				return 0, err
			}
			continue
		}
		one.Move(to)
		if err := tx.Identities.Save(ctx, one); err != nil {
			return 0, err
		}
		moved++
	}
	return moved, nil
}

func (tx MergeRepos) keys(ctx context.Context, from, to user.ID, now time.Time) (int, error) {
	theirs, err := tx.APIKeys.Active(ctx, from, now)
	if err != nil {
		return 0, err
	}
	own, err := tx.APIKeys.Active(ctx, to, now)
	if err != nil {
		return 0, err
	}
	if theirs > 0 && theirs+own > apikey.MaxActive {
		return 0, errKeys
	}
	return tx.Merges.Keys(ctx, from, to)
}

// workspaces makes the target a member wherever the source is one, with the roles of both.
func (tx MergeRepos) workspaces(ctx context.Context, from, to user.ID, now time.Time) (joined, grouped int, err error) {
	personal, err := tx.Belonging.Personal(ctx, from)
	if err != nil {
		return 0, 0, err
	}
	all, err := tx.Belonging.Shared(ctx, from)
	if err != nil {
		return 0, 0, err
	}
	if personal != "" {
		w, err := tx.Workspaces.ByID(ctx, personal)
		if err != nil {
			return 0, 0, err
		}
		w.Share()
		if err := tx.Workspaces.Save(ctx, w); err != nil {
			return 0, 0, err
		}
		all = append(all, personal)
	}
	slices.Sort(all)
	for _, org := range all {
		added, err := tx.join(ctx, org, from, to, now)
		if err != nil {
			return 0, 0, err
		}
		if added {
			joined++
		}
		of, err := tx.group(ctx, org, from, to, now)
		if err != nil {
			return 0, 0, err
		}
		grouped += of
	}
	return joined, grouped, nil
}

// group puts the target into the groups of the source in a workspace.
func (tx MergeRepos) group(ctx context.Context, org workspace.ID, from, to user.ID, now time.Time) (count int, err error) {
	held, err := tx.Books.Holding(ctx, org, from)
	if err != nil {
		return 0, err
	}
	for _, one := range held.Groups {
		added, err := tx.Groups.Add(ctx, group.Snapshot{ID: one, OrgID: org}, []user.ID{to}, now)
		if err != nil {
			return 0, err
		}
		count += len(added)
	}
	return count, nil
}

// join grants the target the roles that the source was granted in a workspace, and reports
// whether it became a member by it.
func (tx MergeRepos) join(ctx context.Context, org workspace.ID, from, to user.ID, now time.Time) (bool, error) {
	book, err := tx.Books.Hold(ctx, org)
	if err != nil {
		return false, err
	}
	source, err := tx.Workspaces.Member(ctx, org, from)
	if err != nil {
		return false, err
	}
	target, err := tx.Workspaces.Member(ctx, org, to)
	added := errors.Is(err, workspace.ErrNotMember)
	if err != nil && !added {
		return false, err
	}
	granted := source.Snapshot().Grants
	if added {
		name := ""
		if len(granted) > 0 {
			known, _ := book.ByKey(granted[0].Role)
			name = known.Name
		}
		target = workspace.Succeed(source.Snapshot(), to, name, now)
	}
	for _, g := range granted {
		if known, there := book.ByKey(g.Role); there && g.Live(now) {
			target.Inherit(g, known.Ref())
		}
	}
	return added, tx.Workspaces.SaveMember(ctx, target)
}

// Tell informs both mailboxes that the accounts were merged; that of the account that is gone,
// only if its address was verified.
func (tx MergeRepos) Tell(ctx context.Context, source, target user.Snapshot) error {
	if source.EmailVerified {
		if err := tx.tellSource(ctx, source); err != nil {
			return err
		}
	}
	return tx.Mails.Queue(ctx, mail.Request{Template: mail.Notice, UserID: target.ID, Vital: true, Facts: map[string]string{
		"headline": "Another account was merged into yours",
		"detail":   "An administrator merged another account into yours. Its passkeys, linked accounts and API keys now give access to your account. If that account was not yours, ask the operator for help immediately.",
	}})
}

func (tx MergeRepos) tellSource(ctx context.Context, source user.Snapshot) error {
	return tx.Mails.Queue(ctx, mail.Request{Template: mail.Notice, To: source.Email, Vital: true, Parting: true, Facts: map[string]string{
		"headline": "Your account was merged into another",
		"detail":   "An administrator merged your account into another account of yours, which now has its workspaces, passkeys and keys. Sign in to that account. If you have no other account here, ask the operator for help immediately.",
	}})
}
