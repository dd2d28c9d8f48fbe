-- What people let clients have: first a code, then refresh tokens that follow each other, of
-- which digests are kept. claims is the parameter of that name, as JSON.
CREATE TABLE oauth_grants (
    id              {key}   PRIMARY KEY,
    app_id          {key}   NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    user_id         {key}   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id          {key}   NOT NULL,
    session_id      {key}   NOT NULL,
    scopes          TEXT    NOT NULL,
    resources       TEXT    NOT NULL,
    offline         BOOLEAN NOT NULL,
    auth_time       {time}  NOT NULL,
    amr             TEXT    NOT NULL,
    acr             {key}   NOT NULL,
    nonce           TEXT    NOT NULL,
    claims          TEXT    NOT NULL,
    jkt             {key}   NOT NULL,
    created_at      {time}  NOT NULL,
    code            {key}   NOT NULL,
    redirect_uri    TEXT    NOT NULL,
    challenge       {key}   NOT NULL,
    code_expires_at {time},
    redeemed_at     {time},
    refresh         {key}   NOT NULL,
    previous        {key}   NOT NULL,
    rotated_at      {time},
    last_used_at    {time},
    idle_seconds    BIGINT  NOT NULL,
    expires_at      {time}  NOT NULL,
    ended_at        {time},
    end_reason      {key}   NOT NULL,
    purge_at        {time}  NOT NULL,
    version         BIGINT  NOT NULL
) {fill 80};

CREATE INDEX oauth_grants_user_id    ON oauth_grants (user_id, app_id, id);
CREATE INDEX oauth_grants_app_id     ON oauth_grants (app_id, id);
CREATE INDEX oauth_grants_session_id ON oauth_grants (session_id);
CREATE INDEX oauth_grants_purge_at   ON oauth_grants (purge_at);
