package payment

import (
	"context"
	"errors"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// roleFeature is the feature of a product that names a role of the workspace that sells
// (spec/billing.md section 2). Who named it held all that the role grants, and it is never
// the owner's (PRODUCT.CREATE).
const roleFeature = "role"

// admit updates the buyer's role in the selling workspace: a person has it as long as
// the sale grants access.
func (s *Service) admit(ctx context.Context, tx Repos, of *sale, verdict billing.Verdict) error {
	held := of.checkout.Snapshot()
	name, _ := of.product.Features[roleFeature].(string)
	gives := verdict.Grant == billing.GrantGiven && name != "" && name != role.Owner
	if held.Buyer.UserID == "" || (!gives && held.Role == "") {
		return nil
	}
	book, err := tx.Books.Hold(ctx, held.OrgID)
	if err != nil {
		return err
	}
	if !gives {
		return s.dismiss(ctx, tx, of, book)
	}
	before, known := book.ByKey(held.Role)
	if known && !of.moved { // what was sold stays as it was
		return s.assign(ctx, tx, of, workspace.Grant{Role: before.Key(), ExpiresAt: verdict.Until}, before.Ref())
	}
	wanted, err := book.Named(name)
	switch {
	case errors.Is(err, role.ErrUnknown) && known:
		return s.dismiss(ctx, tx, of, book)
	case errors.Is(err, role.ErrUnknown):
		return nil // the seller deleted it
	case err != nil:
		return err
	}
	assign := func() error {
		return s.assign(ctx, tx, of, workspace.Grant{Role: wanted.Key(), ExpiresAt: verdict.Until}, wanted.Ref())
	}
	if !known || before.Key() == wanted.Key() {
		return assign()
	}
	return s.exchange(ctx, tx, of, book, assign)
}

// exchange assigns the role of the product that a subscription was moved to, and then takes the
// one that the sale gave before: its buyer stays a member.
func (s *Service) exchange(ctx context.Context, tx Repos, of *sale, book *role.Book, assign func() error) error {
	before := of.checkout.Snapshot()
	of.checkout.Admit("", before.Joined)
	if err := assign(); err != nil {
		return err
	}
	if err := tx.Checkouts.Save(ctx, of.checkout); err != nil {
		return err
	}
	return s.withdraw(ctx, tx, before, book)
}

// assign assigns the role. One that was given otherwise, or by another sale, lasts as long as
// it did.
func (s *Service) assign(ctx context.Context, tx Repos, of *sale, given workspace.Grant, wanted workspace.RoleRef) error {
	held := of.checkout.Snapshot()
	others, joined, err := tx.Checkouts.Admitting(ctx, held, wanted.Key)
	if err != nil {
		return err
	}
	member, err := tx.Workspaces.Member(ctx, held.OrgID, held.Buyer.UserID)
	switch {
	case errors.Is(err, workspace.ErrNotMember):
		member, joined = workspace.JoinOther(held.OrgID, held.Buyer.UserID, wanted, s.Clock.Now()), true
		member.Assign(wanted, given.ExpiresAt)
	case err != nil:
		return err
	case held.Role == "" && member.HoldsForGood(wanted.Key) && !others:
		return nil
	case held.Role == "" || others:
		member.Inherit(given, wanted)
	default:
		member.Assign(wanted, given.ExpiresAt)
	}
	of.checkout.Admit(wanted.Key, joined || held.Joined)
	if err := tx.Workspaces.SaveMember(ctx, member); err != nil {
		return err
	}
	return tx.Checkouts.Save(ctx, of.checkout)
}

// dismiss removes the role granted by the sale, unless another sale of the buyer grants
// it too, and the membership if it has no other reason.
func (s *Service) dismiss(ctx context.Context, tx Repos, of *sale, book *role.Book) error {
	held := of.checkout.Snapshot()
	of.checkout.Admit("", false)
	if err := tx.Checkouts.Save(ctx, of.checkout); err != nil {
		return err
	}
	return s.withdraw(ctx, tx, held, book)
}

// withdraw takes the role that a sale gave, as it was stored before.
func (s *Service) withdraw(ctx context.Context, tx Repos, held billing.CheckoutSnapshot, book *role.Book) error {
	others, _, err := tx.Checkouts.Admitting(ctx, held, held.Role)
	if err != nil || others {
		return err
	}
	member, err := tx.Workspaces.Member(ctx, held.OrgID, held.Buyer.UserID)
	if errors.Is(err, workspace.ErrNotMember) {
		return nil
	}
	if err != nil {
		return err
	}
	taken, known := book.ByKey(held.Role)
	if known {
		member.Unassign(taken.Ref())
	}
	if held.Joined && len(member.Snapshot().Grants) == 0 {
		member.Remove(user.ID(""))
		return tx.Workspaces.RemoveMember(ctx, member)
	}
	return tx.Workspaces.SaveMember(ctx, member)
}
