-- Streams of the event log to collectors; org_id is '' for one of the instance. name, url, secret
-- and last_error are sealed. last_pos is up to where the feed was taken; due_at is when the next
-- batch is sent, or when the lease of who sends one ends. turn counts the leases.
CREATE TABLE audit_streams (
    id            {key}   PRIMARY KEY,
    org_id        {key}   NOT NULL,
    name          TEXT    NOT NULL,
    kind          {key}   NOT NULL,
    url           TEXT    NOT NULL,
    filter        TEXT    NOT NULL,
    secret        TEXT    NOT NULL,
    enabled       BOOLEAN NOT NULL,
    last_pos      BIGINT  NOT NULL,
    turn          BIGINT  NOT NULL,
    due_at        {time}  NOT NULL,
    sent_at       {time},
    failures      BIGINT  NOT NULL,
    failing_since {time},
    last_error    TEXT    NOT NULL,
    told          BOOLEAN NOT NULL,
    created_at    {time}  NOT NULL,
    updated_at    {time}  NOT NULL,
    version       BIGINT  NOT NULL
) {fill 80};

CREATE INDEX audit_streams_org_id ON audit_streams (org_id, id);
CREATE INDEX audit_streams_due_at ON audit_streams (due_at) WHERE enabled;
