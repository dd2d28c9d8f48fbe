-- Invitations to workspaces; address and message are sealed. email_index is the blind
-- index by which the one that is open for an address is found. ended is '' until it is
-- accepted or revoked; it expires by expires_at. round counts the mails. invited_by and
-- app_id are who sent the last of them; no key ties the invitation to either, who may be
-- gone. The tokens are challenges, stored as digests.
CREATE TABLE invitations (
    id          {key}  PRIMARY KEY,
    org_id      {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    email       TEXT   NOT NULL,
    email_index {key}  NOT NULL,
    role        {key}  NOT NULL,
    message     TEXT   NOT NULL DEFAULT '',
    invited_by  {key}  NOT NULL DEFAULT '',
    app_id      {key}  NOT NULL DEFAULT '',
    ended       {key}  NOT NULL DEFAULT '',
    round       BIGINT NOT NULL,
    created_at  {time} NOT NULL,
    sent_at     {time} NOT NULL,
    expires_at  {time} NOT NULL,
    ended_at    {time},
    accepted_by {key}  NOT NULL DEFAULT '',
    purge_at    {time} NOT NULL,
    version     BIGINT NOT NULL
);

CREATE UNIQUE INDEX invitations_open  ON invitations (org_id, email_index) WHERE ended = '';
CREATE INDEX invitations_org_id       ON invitations (org_id, id);
CREATE INDEX invitations_org_ended_id ON invitations (org_id, ended, id);
CREATE INDEX invitations_purge_at     ON invitations (purge_at);
