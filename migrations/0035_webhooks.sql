-- Endpoints that are told of events; org_id is '' for one of the instance. Address, headers
-- and secrets are sealed. streak and failing_since tell how deliveries go, paced_second and
-- paced how many were sent in the last second: who sends changes these four without the
-- version. warned_at is when a mail told that nothing is taken.
CREATE TABLE webhook_endpoints (
    id            {key}   PRIMARY KEY,
    org_id        {key}   NOT NULL,
    url           TEXT    NOT NULL,
    kinds         TEXT    NOT NULL,
    description   TEXT    NOT NULL,
    headers       TEXT    NOT NULL,
    secrets       TEXT    NOT NULL,
    rate_limit    BIGINT  NOT NULL,
    enabled       BOOLEAN NOT NULL,
    disabled      {key}   NOT NULL,
    streak        BIGINT  NOT NULL DEFAULT 0,
    failing_since {time},
    warned_at     {time},
    paced_second  BIGINT  NOT NULL DEFAULT 0,
    paced         BIGINT  NOT NULL DEFAULT 0,
    created_at    {time}  NOT NULL,
    updated_at    {time}  NOT NULL,
    version       BIGINT  NOT NULL
) {fill 80};

CREATE INDEX webhook_endpoints_org_id ON webhook_endpoints (org_id, id);

-- What enabled endpoints want: a kind, resource.* or *.
CREATE TABLE webhook_subscriptions (
    endpoint_id {key} NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    pattern     {key} NOT NULL,
    org_id      {key} NOT NULL,
    PRIMARY KEY (endpoint_id, pattern)
);

CREATE INDEX webhook_subscriptions_pattern ON webhook_subscriptions (org_id, pattern);

-- One event for one endpoint. due_at is when it is attempted next, or when the lease of who
-- attempts it ends; NULL once it is finished. turn counts the claims.
CREATE TABLE webhook_deliveries (
    id          {key}  PRIMARY KEY,
    endpoint_id {key}  NOT NULL,
    org_id      {key}  NOT NULL,
    event_id    {key}  NOT NULL,
    kind        {key}  NOT NULL,
    status      {key}  NOT NULL,
    attempts    BIGINT NOT NULL,
    round       BIGINT NOT NULL,
    turn        BIGINT NOT NULL DEFAULT 0,
    due_at      {time},
    status_code BIGINT NOT NULL,
    error       TEXT   NOT NULL,
    duration_ms BIGINT NOT NULL,
    created_at  {time} NOT NULL,
    finished_at {time}
) {fill 80};

CREATE UNIQUE INDEX webhook_deliveries_event_id ON webhook_deliveries (event_id, endpoint_id);
CREATE INDEX webhook_deliveries_endpoint_id     ON webhook_deliveries (endpoint_id, id);
CREATE INDEX webhook_deliveries_org_id          ON webhook_deliveries (org_id, id);
CREATE INDEX webhook_deliveries_due_at          ON webhook_deliveries (endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_delivering      ON webhook_deliveries (endpoint_id)         WHERE status = 'delivering';
CREATE INDEX webhook_deliveries_dead            ON webhook_deliveries (org_id, id)          WHERE status = 'dead';

-- Each attempt; the answer is sealed. id is that of the delivery and the number of the attempt.
CREATE TABLE webhook_attempts (
    id          {key}  PRIMARY KEY,
    delivery_id {key}  NOT NULL,
    at          {time} NOT NULL,
    status_code BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    error       TEXT   NOT NULL,
    excerpt     TEXT   NOT NULL
);

CREATE INDEX webhook_attempts_delivery_id ON webhook_attempts (delivery_id, id);
