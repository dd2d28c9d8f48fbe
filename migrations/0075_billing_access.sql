-- role is the key of the role that a sale gave in the workspace that sells, '' for none;
-- joined is whether it made the buyer a member. gives_until is until when a subscription
-- gives what it is for, NULL while it gives nothing.
ALTER TABLE checkouts ADD COLUMN role {key} NOT NULL DEFAULT '';
ALTER TABLE checkouts ADD COLUMN joined BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE subscriptions ADD COLUMN gives_until {time};

CREATE INDEX checkouts_role ON checkouts (org_id, user_id, role) WHERE role <> '';
