-- Apps, the tokens issued to them, users' API keys, and DPoP.

-- secrets and jwks are JSON that SQL does not look into: a few of them belong to
-- one app and are read with it. Tokens issued before revoked_before have ended.
CREATE TABLE apps (
    id                 {key}   PRIMARY KEY,
    org_id             {key}   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    slug               {key}   NOT NULL,
    name               TEXT    NOT NULL,
    name_folded        {key}   NOT NULL,
    description        TEXT    NOT NULL,
    type               TEXT    NOT NULL,
    redirect_urls      TEXT    NOT NULL,
    logout_urls        TEXT    NOT NULL,
    grant_types        TEXT    NOT NULL,
    logo_url           TEXT    NOT NULL,
    policy_url         TEXT    NOT NULL,
    terms_url          TEXT    NOT NULL,
    enabled            BOOLEAN NOT NULL,
    access_ttl_seconds BIGINT  NOT NULL,
    refresh_ttl_days   BIGINT  NOT NULL,
    token_exchange     BOOLEAN NOT NULL,
    scopes             TEXT    NOT NULL,
    scopes_listed      BOOLEAN NOT NULL,
    secrets            TEXT    NOT NULL,
    jwks               TEXT    NOT NULL,
    jwks_uri           TEXT    NOT NULL,
    claims             TEXT    NOT NULL,
    revoked_before     {time},
    created_at         {time}  NOT NULL,
    updated_at         {time}  NOT NULL,
    version            BIGINT  NOT NULL
);

CREATE UNIQUE INDEX apps_slug ON apps (slug);
CREATE INDEX apps_org_id ON apps (org_id, id);

-- jti sorts by issue, and no token lives longer than a day: that is how the
-- expired ones are found, without an index that each issue would write. A row
-- stays as it is until a revocation.
CREATE TABLE m2m_tokens (
    jti        {key}  PRIMARY KEY,
    app_id     {key}  NOT NULL,
    scope      TEXT   NOT NULL,
    audience   TEXT   NOT NULL,
    jkt        TEXT   NOT NULL,
    issued_at  {time} NOT NULL,
    expires_at {time} NOT NULL,
    revoked_at {time}
);

CREATE INDEX m2m_tokens_app_id ON m2m_tokens (app_id, jti);

-- purge_at is a while after the key ended, or will end by itself.
CREATE TABLE api_keys (
    id          {key}  PRIMARY KEY,
    user_id     {key}  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id      {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name        TEXT   NOT NULL,
    prefix      {key}  NOT NULL,
    scopes      TEXT   NOT NULL,
    allowed_ips TEXT   NOT NULL,
    expires_at  {time},
    revoked_at  {time},
    end_reason  TEXT   NOT NULL,
    created_at  {time} NOT NULL,
    purge_at    {time},
    version     BIGINT NOT NULL
);

CREATE INDEX api_keys_user_id ON api_keys (user_id, id);
CREATE INDEX api_keys_org_id  ON api_keys (org_id, id);
CREATE INDEX api_keys_prefix  ON api_keys (prefix, id);
CREATE INDEX api_keys_purge_at ON api_keys (purge_at) WHERE purge_at IS NOT NULL;

-- The text of a key is its digest here. A rotated key has two for a while: one
-- that ends at expires_at, and its successor.
CREATE TABLE api_key_secrets (
    digest     {key} PRIMARY KEY,
    key_id     {key} NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    expires_at {time}
);

CREATE INDEX api_key_secrets_key_id ON api_key_secrets (key_id);
CREATE INDEX api_key_secrets_expires_at ON api_key_secrets (expires_at) WHERE expires_at IS NOT NULL;

-- When keys and secrets of apps were used last, to the minute; subject is the
-- identifier of the key or secret.
CREATE TABLE last_uses (
    subject {key}  PRIMARY KEY,
    used_at {time} NOT NULL
) {fill 70};

-- A key belongs to a user or to an app, and goes with either.
CREATE TABLE dpop_bindings (
    id         {key}  PRIMARY KEY,
    user_id    {key}  REFERENCES users (id) ON DELETE CASCADE,
    app_id     {key}  REFERENCES apps (id) ON DELETE CASCADE,
    jkt        {key}  NOT NULL,
    public_jwk TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    created_at {time} NOT NULL,
    expires_at {time} NOT NULL,
    revoked_at {time},
    version    BIGINT NOT NULL
);

CREATE INDEX dpop_bindings_user_id    ON dpop_bindings (user_id, id);
CREATE INDEX dpop_bindings_app_id     ON dpop_bindings (app_id, id);
CREATE INDEX dpop_bindings_expires_at ON dpop_bindings (expires_at);

-- Proofs that were used; key stands for thumbprint and jti.
CREATE TABLE dpop_proofs (
    key        {key}  PRIMARY KEY,
    expires_at {time} NOT NULL
);

CREATE INDEX dpop_proofs_expires_at ON dpop_proofs (expires_at);

-- Identifiers of events follow the clock of the service, so a range of time is a
-- range of identifiers. The kinds that happen with every refresh and every token
-- are found without an index: whichever way one looks, there is one.
DROP INDEX events_at;
DROP INDEX events_kind;
CREATE INDEX events_kind ON events (kind, id) WHERE kind NOT IN ('session.refreshed', 'm2m_token.issued');
