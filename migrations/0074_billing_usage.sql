-- What was used of metered subscriptions, summed by the period it was used in. reported is
-- what the processor was, or is being, told of; due_at is when it is to be told of the rest.
CREATE TABLE subscription_usage (
    subscription_id {key}  NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
    period_start    {time} NOT NULL,
    meter           {key}  NOT NULL,
    period_end      {time},
    total           BIGINT NOT NULL,
    reported        BIGINT NOT NULL,
    due_at          {time},
    PRIMARY KEY (subscription_id, period_start, meter)
);

CREATE INDEX subscription_usage_due_at ON subscription_usage (due_at) WHERE due_at IS NOT NULL;

-- The uses that were counted, by the keyed digest of their names.
CREATE TABLE subscription_uses (
    subscription_id {key}  NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
    digest          {key}  NOT NULL,
    expires_at      {time} NOT NULL,
    PRIMARY KEY (subscription_id, digest)
);

CREATE INDEX subscription_uses_expires_at ON subscription_uses (expires_at);
