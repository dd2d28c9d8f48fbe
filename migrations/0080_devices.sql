-- Devices without a browser that wait for their person (RFC 8628). Of the codes that devices and
-- people hold, digests are kept, of the short one a keyed one; scopes to user_agent are sealed.
-- user_id is NULL, decision and grant_id '' until somebody answers.
CREATE TABLE oauth_devices (
    id               {key}  PRIMARY KEY,
    app_id           {key}  NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    code             {key}  NOT NULL,
    user_code        {key}  NOT NULL,
    scopes           TEXT   NOT NULL,
    resource         TEXT   NOT NULL,
    nonce            TEXT   NOT NULL,
    ip               TEXT   NOT NULL,
    user_agent       TEXT   NOT NULL,
    created_at       {time} NOT NULL,
    expires_at       {time} NOT NULL,
    interval_seconds BIGINT NOT NULL,
    polled_at        {time},
    decision         {key}  NOT NULL,
    decided_at       {time},
    user_id          {key}  REFERENCES users (id) ON DELETE CASCADE,
    grant_id         {key}  NOT NULL,
    purge_at         {time} NOT NULL,
    version          BIGINT NOT NULL
) {fill 80};

CREATE UNIQUE INDEX oauth_devices_user_code ON oauth_devices (user_code);
CREATE INDEX oauth_devices_app_id           ON oauth_devices (app_id);
CREATE INDEX oauth_devices_user_id          ON oauth_devices (user_id);
CREATE INDEX oauth_devices_purge_at         ON oauth_devices (purge_at);
