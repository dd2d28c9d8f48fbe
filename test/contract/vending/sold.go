package vending

import (
	"context"
	"time"

	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound/licensing"
)

const day = 24 * time.Hour

// products checks licensing.Products and licensing.ProductDirectory.
func products(w *world) {
	made := w.product("table", func(d *product.Draft) {
		d.Description, d.Public, d.GraceDays = "For plans", true, 7
		d.Features, d.Metadata = feature.Values{"pdf": true, "seats": 5.0, "tier": "é"}, map[string]any{"crm": "42"}
	})
	other := w.product("chair", func(d *product.Draft) { d.Name = "chair" })
	for _, ref := range []product.Ref{product.Ref(made.ID), "table"} {
		found, err := w.Products.Find(w.Context(), ref)
		w.must(err)
		w.equal("the product by "+string(ref), found, made)
		w.do(func(ctx context.Context, tx Repos) error {
			stored, err := tx.Products.ByRef(ctx, ref)
			w.equal("in a unit", stored.Snapshot(), made)
			return err
		})
	}
	for _, ref := range []product.Ref{"TABLE", "tab", "prd_01jd7x9k2mf3q8v5t0abcdefgx", ""} {
		_, err := w.Products.Find(w.Context(), ref)
		w.is(err, product.ErrNotFound)
		w.fails(product.ErrNotFound, func(ctx context.Context, tx Repos) error {
			_, err := tx.Products.ByRef(ctx, ref)
			return err
		})
	}
	twin, err := product.Define(product.Draft{ID: product.NewID(w.ids), OrgID: w.org, Name: "Twin", Slug: "table"}, w.now)
	w.must(err)
	w.fails(product.ErrSlugTaken, func(ctx context.Context, tx Repos) error { return tx.Products.Save(ctx, twin) })
	w.conflicts(func(ctx context.Context, tx Repos) error { return tx.Products.Save(ctx, product.Restore(made, 7)) })
	w.do(func(ctx context.Context, tx Repos) error {
		count, err := tx.Products.Count(ctx, w.org)
		w.equal("the count", count, 2)
		return err
	})
	archived := false
	for text, c := range map[string]struct {
		query licensing.ProductQuery
		want  []product.Snapshot
	}{
		"all, newest first":  {licensing.ProductQuery{Org: w.org}, []product.Snapshot{other, made}},
		"a page":             {licensing.ProductQuery{Org: w.org, Before: other.ID}, []product.Snapshot{made}},
		"public":             {licensing.ProductQuery{Org: w.org, Public: true}, []product.Snapshot{made}},
		"not archived":       {licensing.ProductQuery{Org: w.org, Archived: &archived, Limit: 1}, []product.Snapshot{other}},
		"by a name":          {licensing.ProductQuery{Org: w.org, Text: "DRAFTING"}, []product.Snapshot{made}},
		"another workspace":  {licensing.ProductQuery{Org: "org_01jd7x9k2mf3q8v5t0abcdefgx"}, []product.Snapshot{}},
		"nothing of a name_": {licensing.ProductQuery{Org: w.org, Text: "%"}, []product.Snapshot{}},
	} {
		c.query.Limit = max(c.query.Limit, 1) + len(c.want) - 1
		found, err := w.Products.List(w.Context(), c.query)
		w.must(err)
		w.equal(text, found, c.want)
	}
	w.deletion(made)
}

// deletion deletes a product: not while there are licenses, with its own policies, and never
// its slug.
func (w *world) deletion(of product.Snapshot) {
	w.Helper()
	gone := func(ctx context.Context, tx Repos) error {
		found, err := tx.Products.ByRef(ctx, product.Ref(of.ID))
		if err != nil {
			return err
		}
		found.Delete()
		return tx.Products.Delete(ctx, found)
	}
	w.license(of, nil)
	w.fails(product.ErrLicensed, gone)
	bare := w.product("bare", nil)
	terms := w.policy(func(s *license.PolicySnapshot) { s.ProductID = bare.ID })
	of = bare
	w.do(gone)
	_, err := w.Policies.Find(w.Context(), terms.ID)
	w.is(err, license.ErrNoPolicy)
	twin, err := product.Define(product.Draft{ID: product.NewID(w.ids), OrgID: w.org, Name: "Twin", Slug: "bare"}, w.now)
	w.must(err)
	w.fails(product.ErrSlugTaken, func(ctx context.Context, tx Repos) error { return tx.Products.Save(ctx, twin) })
}

// policy stores a policy, after it was changed.
func (w *world) policy(change func(*license.PolicySnapshot)) license.PolicySnapshot {
	w.Helper()
	s := license.PolicySnapshot{ID: product.NewPolicyID(w.ids), OrgID: w.org, Name: "Year", Terms: license.Plain()}
	if change != nil {
		change(&s)
	}
	made, err := license.Draw(s, w.now)
	w.must(err)
	w.do(func(ctx context.Context, tx Repos) error { return tx.Policies.Save(ctx, made) })
	return made.Snapshot()
}

// policies checks licensing.Policies and licensing.PolicyDirectory.
func policies(w *world) {
	of := w.product("table", nil)
	made := w.policy(func(s *license.PolicySnapshot) {
		s.ProductID, s.Terms.DurationDays, s.Terms.Features = of.ID, 365, feature.Values{"pdf": true}
		s.Terms.Meters = map[string]license.Meter{"exports": {Limit: 3, Period: license.Daily, OnLimit: license.Deny}}
	})
	found, err := w.Policies.Find(w.Context(), made.ID)
	w.must(err)
	w.equal("the policy", found, made)
	_, err = w.Policies.Find(w.Context(), "lpo_01jd7x9k2mf3q8v5t0abcdefgx")
	w.is(err, license.ErrNoPolicy)
	w.conflicts(func(ctx context.Context, tx Repos) error {
		return tx.Policies.Save(ctx, license.RestorePolicy(made, 7))
	})
	w.terms(made)
	general := w.policy(nil)
	list, err := w.Policies.List(w.Context(), licensing.PolicyQuery{Org: w.org, Limit: 5})
	w.must(err)
	w.equal("all, newest first", list, []license.PolicySnapshot{general, made})

	var issued []license.ID
	for range 5 {
		issued = append(issued, w.license(of, func(s *license.Snapshot) { s.PolicyID = made.ID }).ID)
	}
	w.license(of, nil)
	count, err := w.Policies.Licenses(w.Context(), made.ID)
	w.must(err)
	w.equal("the licenses of the policy", count, 5)
	w.do(func(ctx context.Context, tx Repos) error {
		var walked []license.ID
		for after := license.ID(""); ; {
			some, err := tx.Policies.Licenses(ctx, made.ID, after, 2)
			if err != nil || len(some) == 0 {
				w.equal("walked in pages of two", walked, issued)
				return err
			}
			for _, one := range some {
				after = one.Snapshot().ID
				walked = append(walked, after)
			}
		}
	})
	gone := func(id product.PolicyID) func(ctx context.Context, tx Repos) error {
		return func(ctx context.Context, tx Repos) error {
			found, err := tx.Policies.ByID(ctx, id)
			if err != nil {
				return err
			}
			found.Delete()
			return tx.Policies.Delete(ctx, found)
		}
	}
	w.fails(license.ErrPolicyUsed, gone(made.ID))
	w.do(gone(general.ID))
	w.fails(license.ErrNoPolicy, gone(general.ID))
}

// terms checks what licenses are issued by.
func (w *world) terms(of license.PolicySnapshot) {
	w.Helper()
	w.do(func(ctx context.Context, tx Repos) error {
		read, err := tx.Policies.Terms(ctx, of.ID)
		w.equal("what is issued by it", read, of)
		return err
	})
	w.fails(license.ErrNoPolicy, func(ctx context.Context, tx Repos) error {
		_, err := tx.Policies.Terms(ctx, "lpo_01jd7x9k2mf3q8v5t0abcdefgx")
		return err
	})
}

// features checks licensing.Features, and the lists of licensing.FeatureDirectory.
func features(w *world) {
	define := func(key feature.Key, rules ...feature.Rule) *feature.Feature {
		return feature.Restore(feature.Snapshot{
			OrgID: w.org, Key: key, Type: feature.Bool, Default: feature.Of(false), Rules: rules, Enabled: true, Description: "é", CreatedAt: w.now, UpdatedAt: w.now,
		}, 0)
	}
	rule := feature.Rule{When: "attributes.plan == 'pro'", Value: feature.Of(true), Rollout: &feature.Rollout{Percent: 12.5, By: feature.ByOrg, Salt: "s"}}
	made, other := define("export.pdf", rule, rule), define("export.svg")
	save := func(f *feature.Feature) func(ctx context.Context, tx Repos) error {
		return func(ctx context.Context, tx Repos) error { return tx.Features.Save(ctx, f) }
	}
	w.do(save(made))
	w.do(save(other))
	w.fails(feature.ErrTaken, save(define("export.pdf")))
	w.conflicts(save(feature.Restore(made.Snapshot(), 7)))
	for text, c := range map[string]struct {
		query licensing.FeatureQuery
		want  []feature.Snapshot
	}{
		"all by key":        {licensing.FeatureQuery{Org: w.org}, []feature.Snapshot{made.Snapshot(), other.Snapshot()}},
		"a page":            {licensing.FeatureQuery{Org: w.org, After: "export.pdf"}, []feature.Snapshot{other.Snapshot()}},
		"by a beginning":    {licensing.FeatureQuery{Org: w.org, Begins: "export.p"}, []feature.Snapshot{made.Snapshot()}},
		"another workspace": {licensing.FeatureQuery{Org: "org_01jd7x9k2mf3q8v5t0abcdefgx"}, []feature.Snapshot{}},
	} {
		c.query.Limit = 5
		found, err := w.Features.List(w.Context(), c.query)
		w.must(err)
		w.equal(text, found, c.want)
	}
	w.do(func(ctx context.Context, tx Repos) error {
		count, rules, err := tx.Features.Hold(ctx, w.org)
		w.equal("features and rules", []int{count, rules}, []int{2, 2})
		return err
	})
	w.fails(feature.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Features.ByKey(ctx, w.org, "EXPORT.PDF")
		return err
	})
}

// overrides checks licensing.Overrides, and their list.
func overrides(w *world) {
	w.do(func(ctx context.Context, tx Repos) error {
		return tx.Features.Save(ctx, feature.Restore(feature.Snapshot{
			OrgID: w.org, Key: "pdf", Type: feature.Bool, Default: feature.Of(false), Enabled: true, CreatedAt: w.now, UpdatedAt: w.now,
		}, 0))
	})
	ofPerson, ofOrg := feature.Target{UserID: w.person}, feature.Target{OrgID: w.org}
	pin := feature.Override{OrgID: w.org, Key: "pdf", Whose: ofPerson, Value: feature.Of(true), SetAt: w.now}
	ending := pin
	ending.Whose, ending.ExpiresAt = ofOrg, w.now.Add(time.Hour)
	for _, one := range []feature.Override{pin, ending} {
		w.do(func(ctx context.Context, tx Repos) error { return tx.Overrides.Put(ctx, one) })
	}
	get := func(whose feature.Target, now time.Time) (found feature.Override, err error) {
		err = w.Unit.Do(w.Context(), func(tx Repos) (err error) {
			found, err = tx.Overrides.Get(w.Context(), w.org, "pdf", whose, now)
			return err
		})
		return found, err
	}
	found, err := get(ofPerson, w.now)
	w.must(err)
	w.equal("the override of a person", found, pin)
	_, err = get(ofOrg, ending.ExpiresAt)
	w.is(err, feature.ErrNoOverride)
	pin.Value = feature.Of(false)
	w.do(func(ctx context.Context, tx Repos) error { return tx.Overrides.Put(ctx, pin) })
	list, err := w.Features.Overrides(w.Context(), licensing.OverrideQuery{Org: w.org, Key: "pdf", Now: ending.ExpiresAt, Limit: 5})
	w.must(err)
	w.equal("those in force", list, []feature.Override{pin})
	w.do(func(ctx context.Context, tx Repos) error { return tx.Overrides.Delete(ctx, pin) })
	_, err = get(ofPerson, w.now)
	w.is(err, feature.ErrNoOverride)
}

// holdings checks licensing.FeatureDirectory.Holdings: what somebody owns, by the licenses
// that hold and what their products give.
func holdings(w *world) {
	sold := w.product("table", func(d *product.Draft) { d.Features = feature.Values{"pdf": false, "seats": 5.0} })
	own := func(s *license.Snapshot) {
		s.Owner.UserID, s.Terms.Features = w.person, feature.Values{"pdf": true}
	}
	w.license(sold, own)
	w.license(sold, func(s *license.Snapshot) {
		own(s)
		s.Status, s.Terms.Features = license.Suspended, feature.Values{"suspended": true}
	})
	w.license(sold, func(s *license.Snapshot) {
		own(s)
		s.ExpiresAt, s.Terms.Features = w.now.Add(-time.Hour), feature.Values{"expired": true}
	})
	w.license(sold, func(s *license.Snapshot) {
		own(s)
		s.Terms.Starts, s.Terms.Features = license.AtActivation, feature.Values{"waiting": true}
	})
	ask := licensing.HoldingsQuery{Org: w.org, Person: feature.Target{UserID: w.person}, Now: w.now}
	held, err := w.Features.Holdings(w.Context(), ask)
	w.must(err)
	w.equal("what is owned", held.Licenses, feature.OwnedValues{"pdf": feature.Of(true), "seats": feature.Of(5.0)})
	w.equal("whether a license holds", held.Licensed, true)
	ask.Product = w.product("chair", nil).ID
	held, err = w.Features.Holdings(w.Context(), ask)
	w.must(err)
	w.equal("of another product", held.Licenses, feature.OwnedValues{})
}
