package payment

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/license"
)

// updateAccess updates the access granted by a sale.
func (s *Service) updateAccess(ctx context.Context, tx Repos, of *sale) error {
	held := of.checkout.Snapshot()
	sub, err := subscription(ctx, tx, held.CheckoutID)
	if err != nil {
		return err
	}
	verdict, err := s.judge(ctx, tx, of, sub)
	if err != nil {
		return err
	}
	if sub != nil {
		until := time.Time{}
		if verdict.Grant == billing.GrantGiven {
			until = verdict.Until
		}
		if err := tx.Subscriptions.Gives(ctx, sub.ID, until); err != nil {
			return err
		}
	}
	switch {
	case verdict.Grant == billing.GrantNone:
		return nil
	case held.LicenseID != "":
		err = s.adjust(ctx, tx, of, verdict, sub)
	default:
		// What was withdrawn before anything was heard of the sale is given as it would be had
		// all been heard in time: suspended, or revoked.
		err = s.give(ctx, tx, of, verdict, sub)
	}
	if err == nil && verdict.Grant == billing.GrantEnded {
		err = s.end(ctx, tx, held, sub)
	}
	if err != nil {
		return err
	}
	return s.admit(ctx, tx, of, verdict)
}

// judge decides what a sale currently grants, and schedules the next check. The current
// product of a subscription decides, not the one bought first.
func (s *Service) judge(ctx context.Context, tx Repos, of *sale, sub *billing.SubscriptionSnapshot) (billing.Verdict, error) {
	held, now := of.checkout.Snapshot(), s.Clock.Now()
	got, err := tx.Payments.Brought(ctx, held.CheckoutID, held.Subtotal.Currency)
	if err == nil && sub != nil && sub.ProductID != of.product.ID {
		of.product, err = tx.Products.Offered(ctx, sub.ProductID)
	}
	if err == nil {
		err = tx.Checkouts.Look(ctx, held.CheckoutID, billing.LookAt(held, sub, now))
	}
	if err != nil {
		return billing.Verdict{}, err
	}
	return billing.Judge(held, sub, got, billing.Terms{Recurring: of.price.Recurring(), GraceDays: of.product.GraceDays}, now), nil
}

// end ends a subscription that no longer grants anything, so that the buyer is not
// charged for nothing.
func (s *Service) end(ctx context.Context, tx Repos, of billing.CheckoutSnapshot, sub *billing.SubscriptionSnapshot) error {
	if sub == nil || sub.Status == billing.Ended {
		return nil
	}
	_, intended, err := tx.Intents.OfCheckout(ctx, of.CheckoutID, billing.IntentCancel)
	if err != nil || intended {
		return err
	}
	return tx.Intents.Put(ctx, billing.Intent{
		ID: billing.NewIntentID(s.IDs), Kind: billing.IntentCancel, CheckoutID: of.CheckoutID, Subject: sub.ID.String(), Account: of.Account, CreatedAt: s.Clock.Now(),
	}, s.Clock.Now())
}

// give issues the license of a sale. If the buyer no longer exists, the subscription is
// ended.
func (s *Service) give(ctx context.Context, tx Repos, of *sale, verdict billing.Verdict, sub *billing.SubscriptionSnapshot) error {
	held, now := of.checkout.Snapshot(), s.Clock.Now()
	owner := license.Owner{UserID: held.Buyer.UserID, OrgID: held.Buyer.OrgID}
	there := owner != license.Owner{}
	if there {
		var err error
		if there, err = tx.Owners.Hold(ctx, owner); err != nil {
			return err
		}
	}
	if there {
		return s.issue(ctx, tx, of, verdict, now)
	}
	return s.end(ctx, tx, held, sub)
}

// subscription reads the subscription of a sale; nil for none.
func subscription(ctx context.Context, tx Repos, of billing.CheckoutID) (*billing.SubscriptionSnapshot, error) {
	found, err := tx.Subscriptions.OfCheckout(ctx, of)
	if errors.Is(err, billing.ErrNoSubscription) {
		return nil, nil //nolint:nilnil // none is an answer
	}
	if err != nil {
		return nil, err
	}
	snapshot := found.Snapshot()
	return &snapshot, nil
}

// issue issues the license of a sale, whose owner is locked, by the policy of the
// product.
func (s *Service) issue(ctx context.Context, tx Repos, of *sale, verdict billing.Verdict, now time.Time) error {
	held := of.checkout.Snapshot()
	owner := license.Owner{UserID: held.Buyer.UserID, OrgID: held.Buyer.OrgID}
	draft := license.Draft{
		ID: license.NewID(s.IDs), OrgID: held.OrgID, ProductID: of.product.ID, PolicyID: of.product.PolicyID, Terms: license.Plain(), Owner: owner,
	}
	if draft.PolicyID != "" {
		policy, err := tx.Policies.Terms(ctx, draft.PolicyID)
		if err != nil {
			return err
		}
		draft.Terms = policy.Terms
	}
	if verdict.Until.After(now) {
		draft.Own.ExpiresAt = &verdict.Until
	}
	made, err := license.Issue(draft, now)
	if err == nil {
		err = bring(made, verdict, now)
	}
	if err != nil {
		return err
	}
	if err := tx.Licenses.Save(ctx, made); err != nil {
		return err
	}
	canonical, _ := license.ReadKey(string(license.NewKey(s.Random)))
	if err := tx.Licenses.AddKey(ctx, draft.ID, canonical); err != nil {
		return err
	}
	of.checkout.Licensed(draft.ID)
	return tx.Checkouts.Save(ctx, of.checkout)
}

// adjust brings the license of a sale in line. One that was revoked stays so, and one that
// its seller suspended stays suspended. Where a refund failed after all, or a dispute was won
// after all, another license takes the place of the one that was revoked for that.
func (s *Service) adjust(ctx context.Context, tx Repos, of *sale, verdict billing.Verdict, sub *billing.SubscriptionSnapshot) error {
	l, err := tx.Licenses.ByID(ctx, of.checkout.Snapshot().LicenseID)
	if errors.Is(err, license.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	is := l.Snapshot()
	switch {
	case is.Status == license.Revoked:
		if verdict.Grant != billing.GrantEnded && billing.Reversible(is.Reason) {
			return s.give(ctx, tx, of, verdict, sub)
		}
		return nil
	case is.ProductID != of.product.ID && verdict.Grant != billing.GrantEnded:
		if verdict, err = s.retire(ctx, tx, l, verdict); err != nil {
			return err
		}
		return s.give(ctx, tx, of, verdict, sub)
	}
	if err = bring(l, verdict, s.Clock.Now()); err != nil || !l.Changed() {
		return err
	}
	return tx.Licenses.Save(ctx, l)
}

// retire revokes the license of a sale whose subscription moved to another product, and
// returns the verdict for the new one: if the seller suspended the old license, the new
// one is suspended as well.
func (s *Service) retire(ctx context.Context, tx Repos, l *license.License, verdict billing.Verdict) (billing.Verdict, error) {
	if is := l.Snapshot(); is.Status == license.Suspended && !billing.Ours(is.Reason) {
		verdict.Grant, verdict.Why = billing.GrantHeld, is.Reason
	}
	l.Revoke(billing.WhyMoved, s.Clock.Now())
	return verdict, tx.Licenses.Save(ctx, l)
}

// bring updates a license that is not revoked to a verdict.
func bring(l *license.License, verdict billing.Verdict, now time.Time) (err error) {
	is := l.Snapshot()
	switch verdict.Grant {
	case billing.GrantEnded:
		l.Revoke(verdict.Why, now)
		return nil
	case billing.GrantHeld:
		if is.Status == license.Active {
			err = l.Suspend(verdict.Why, now)
		}
	case billing.GrantGiven:
		if is.Status == license.Suspended && billing.Ours(is.Reason) {
			err = l.Reinstate(now)
		}
	case billing.GrantNone:
		return nil
	}
	if err == nil && verdict.Until.After(now) {
		err = l.Update(license.Change{Own: license.OwnTerms{ExpiresAt: &verdict.Until}}, now)
	}
	return err
}
