-- What workspaces used of their quotas; key says of which, whose, and on which day
-- where a quota is one of a day. Others are counted back down, and go once nothing is
-- left of them.
CREATE TABLE quota_uses (
    key        {key}   PRIMARY KEY,
    daily      BOOLEAN NOT NULL,
    amount     BIGINT  NOT NULL,
    expires_at {time}  NOT NULL
) {fill 80};

CREATE INDEX quota_uses_expires_at ON quota_uses (expires_at);

-- org_id is the workspace that an answer counts for; '' where it does not count.
ALTER TABLE idempotency ADD COLUMN org_id {key} NOT NULL DEFAULT '';
