-- The replicas that say that they are alive. last_seen_at is the time of the store's clock, and
-- clock_skew_ms how far that of the replica was ahead of it.
CREATE TABLE replicas (
    id            {key}  PRIMARY KEY,
    version       TEXT   NOT NULL,
    started_at    {time} NOT NULL,
    last_seen_at  {time} NOT NULL,
    clock_skew_ms BIGINT NOT NULL
);
