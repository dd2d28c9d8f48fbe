-- Attempts to log in that were not of low risk. The signals, the address and the user agent
-- are sealed. session_id is '' while no session came of it, verdict '' until somebody says
-- whose it was.
CREATE TABLE risk_assessments (
    id           {key}  PRIMARY KEY,
    user_id      {key}  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id       {key}  NOT NULL,
    session_id   {key}  NOT NULL,
    flow_trigger TEXT   NOT NULL,
    score        BIGINT NOT NULL,
    level        TEXT   NOT NULL,
    signals      TEXT   NOT NULL,
    ip           TEXT   NOT NULL,
    ip_index     {key}  NOT NULL,
    user_agent   TEXT   NOT NULL,
    created_at   {time} NOT NULL,
    verdict      TEXT   NOT NULL,
    verdict_at   {time},
    purge_at     {time} NOT NULL,
    version      BIGINT NOT NULL
);

CREATE INDEX risk_assessments_user_id  ON risk_assessments (user_id, id);
CREATE INDEX risk_assessments_org_id   ON risk_assessments (org_id, id);
CREATE INDEX risk_assessments_ip_index ON risk_assessments (ip_index, id) WHERE ip_index <> '';
CREATE INDEX risk_assessments_denied   ON risk_assessments (user_id, id)  WHERE verdict = 'not_mine';
CREATE INDEX risk_assessments_purge_at ON risk_assessments (purge_at);

-- What attempts are scored by: the logins of an account, and the failed ones of an account
-- and of an address, found without a look at any other event.
CREATE INDEX events_logins        ON events (user_id, id)  WHERE kind = 'session.created' AND user_id <> '';
CREATE INDEX events_failures      ON events (user_id, id)  WHERE kind = 'login.failed' AND user_id <> '';
CREATE INDEX events_failed_logins ON events (ip_index, id) WHERE kind = 'login.failed' AND ip_index <> '';
