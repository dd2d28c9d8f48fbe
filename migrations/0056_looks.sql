-- When the processor is asked for the truth about a sale of which nothing was heard until
-- then; NULL for never.
ALTER TABLE checkouts ADD COLUMN look_at {time};

CREATE INDEX checkouts_look_at ON checkouts (look_at) WHERE look_at IS NOT NULL;

UPDATE checkouts SET look_at = expires_at WHERE status = 'open';
UPDATE checkouts SET look_at = (SELECT period_end FROM subscriptions WHERE checkout_id = checkouts.id AND status NOT IN ('incomplete', 'ended'))
    WHERE status = 'completed';
