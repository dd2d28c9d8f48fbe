-- E-mail domains that workspaces claim. proof stands in the TXT record that proves a
-- claim, and is no secret. role is a key: an id, or the name of a built-in role. Of all
-- claims to a name one is verified at a time; that one is looked at when check_at says so,
-- which is moved on by whoever looks.
CREATE TABLE mail_domains (
    id            {key}   PRIMARY KEY,
    org_id        {key}   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name          {key}   NOT NULL,
    proof         TEXT    NOT NULL,
    auto_join     BOOLEAN NOT NULL,
    role          {key}   NOT NULL,
    require_sso   BOOLEAN NOT NULL,
    created_at    {time}  NOT NULL,
    verified_at   {time},
    checked_at    {time},
    check_at      {time},
    missing_since {time},
    version       BIGINT  NOT NULL
);

CREATE UNIQUE INDEX mail_domains_org_name ON mail_domains (org_id, name);
CREATE UNIQUE INDEX mail_domains_verified ON mail_domains (name)     WHERE verified_at IS NOT NULL;
CREATE INDEX mail_domains_check_at        ON mail_domains (check_at) WHERE verified_at IS NOT NULL;

-- Whether anybody joins by an address at all, which every login asks.
CREATE INDEX mail_domains_auto_join ON mail_domains (name) WHERE auto_join AND verified_at IS NOT NULL;
