-- Which apps people let in, and for what.
CREATE TABLE oauth_consents (
    user_id      {key}  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    app_id       {key}  NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    org_id       {key}  NOT NULL,
    scopes       TEXT   NOT NULL,
    granted_at   {time} NOT NULL,
    last_used_at {time} NOT NULL,
    version      BIGINT NOT NULL,
    PRIMARY KEY (user_id, app_id)
) {fill 80};

CREATE INDEX oauth_consents_app_id ON oauth_consents (app_id, user_id);
