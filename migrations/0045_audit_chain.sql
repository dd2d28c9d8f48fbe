-- The hash chain of the event log. A block holds what proves the events of a range of the feed:
-- proofs, sealed, is JSON; it is '' once the block was cut by retention, of which the hashes
-- stay. id is number as text of one length.
CREATE TABLE audit_blocks (
    id          {key}  PRIMARY KEY,
    number      BIGINT NOT NULL,
    first_pos   BIGINT NOT NULL,
    last_pos    BIGINT NOT NULL,
    entries     BIGINT NOT NULL,
    earliest_at {time} NOT NULL,
    latest_at   {time} NOT NULL,
    previous    {key}  NOT NULL,
    root        {key}  NOT NULL,
    hash        {key}  NOT NULL,
    proofs      TEXT   NOT NULL,
    closed_at   {time} NOT NULL,
    cut_at      {time}
);

CREATE UNIQUE INDEX audit_blocks_number ON audit_blocks (number);
CREATE INDEX audit_blocks_latest_at     ON audit_blocks (latest_at);
CREATE INDEX audit_blocks_uncut         ON audit_blocks (number) WHERE cut_at IS NULL;

-- Signed heads: up to which block the chain reached at a time.
CREATE TABLE audit_heads (
    number    BIGINT PRIMARY KEY,
    hash      {key}  NOT NULL,
    signed_at {time} NOT NULL,
    signature {key}  NOT NULL
);
