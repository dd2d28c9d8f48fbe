-- coupons is JSON: the codes of those that a subscription was discounted by.
ALTER TABLE subscriptions ADD COLUMN coupons TEXT NOT NULL DEFAULT '';

UPDATE subscriptions SET coupons = '["' || (SELECT coupon FROM checkouts WHERE id = subscriptions.checkout_id) || '"]'
WHERE checkout_id IN (SELECT id FROM checkouts WHERE coupon <> '');
