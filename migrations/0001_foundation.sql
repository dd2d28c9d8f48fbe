-- What holds for the whole instance: exactly one row, made at the first start.
-- The revision counts the changes to everything that requests cache.
CREATE TABLE instance (
    id               BIGINT PRIMARY KEY CHECK (id = 1),
    revision         BIGINT NOT NULL,
    index_key        TEXT   NOT NULL,
    spike_started_at {time},
    spike_until      {time}
);

CREATE TABLE settings (
    name  {key} PRIMARY KEY,
    value TEXT NOT NULL
);

-- org_id '' is the instance.
CREATE TABLE policies (
    org_id  {key} NOT NULL,
    kind    {key} NOT NULL,
    content TEXT  NOT NULL,
    PRIMARY KEY (org_id, kind)
);

CREATE TABLE rate_limit_rules (
    command       {key}  NOT NULL,
    counted_by    {key}  NOT NULL,
    max_count     BIGINT NOT NULL,
    window_micros BIGINT NOT NULL,
    PRIMARY KEY (command, counted_by)
);

-- Counters change with almost every request and may be lost in a crash.
CREATE {unlogged} TABLE rate_limits (
    key        {key}   PRIMARY KEY,
    state      {bytes} NOT NULL,
    version    BIGINT  NOT NULL,
    expires_at {time}  NOT NULL
) {fill 70};

CREATE INDEX rate_limits_expires_at ON rate_limits (expires_at);

-- The ring of signing keys: its schedule here, exactly one row; its keys below.
CREATE TABLE key_ring (
    id            BIGINT PRIMARY KEY CHECK (id = 1),
    every_days    BIGINT NOT NULL,
    algorithm     TEXT   NOT NULL,
    overlap_hours BIGINT NOT NULL,
    rotate_at     {time},
    version       BIGINT NOT NULL
);

CREATE TABLE signing_keys (
    kid           {key}  PRIMARY KEY,
    place         BIGINT NOT NULL,
    algorithm     TEXT   NOT NULL,
    private       TEXT   NOT NULL,
    created_at    {time},
    activated_at  {time},
    overlap_until {time},
    revoked_at    {time}
);

-- email_folded and name_folded serve searches for a beginning; they are filled
-- only where e-mail and names are kept in clear.
CREATE TABLE users (
    id             {key}   PRIMARY KEY,
    email          TEXT    NOT NULL,
    email_index    {key}   NOT NULL,
    email_folded   {key}   NOT NULL,
    email_verified BOOLEAN NOT NULL,
    display_name   TEXT    NOT NULL,
    name_folded    {key}   NOT NULL,
    avatar         TEXT    NOT NULL,
    locale         TEXT    NOT NULL,
    timezone       TEXT    NOT NULL,
    external_id    TEXT    NOT NULL,
    external_index {key},
    metadata       TEXT    NOT NULL,
    superadmin     BOOLEAN NOT NULL,
    status         TEXT    NOT NULL,
    disabled_until {time},
    disabled_why   TEXT    NOT NULL,
    created_at     {time}  NOT NULL,
    updated_at     {time}  NOT NULL,
    last_login_at  {time},
    version        BIGINT  NOT NULL
) {fill 80};

CREATE UNIQUE INDEX users_email_index    ON users (email_index);
CREATE UNIQUE INDEX users_external_index ON users (external_index);
CREATE INDEX users_email_folded ON users (email_folded) WHERE email_folded <> '';
CREATE INDEX users_name_folded  ON users (name_folded) WHERE name_folded <> '';
CREATE INDEX users_superadmin   ON users (id) WHERE superadmin;
CREATE INDEX users_disabled     ON users (id) WHERE status = 'disabled';
CREATE INDEX users_created_at   ON users (created_at);

CREATE TABLE credentials (
    user_id      {key}  PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    hash         TEXT   NOT NULL,
    set_at       {time},
    failures     TEXT   NOT NULL,
    locked_until {time},
    version      BIGINT NOT NULL
) {fill 80};

CREATE INDEX credentials_locked_until ON credentials (locked_until) WHERE locked_until IS NOT NULL;

-- personal_of is whose account the workspace came with; NULL for a shared one.
CREATE TABLE workspaces (
    id          {key}  PRIMARY KEY,
    name        TEXT   NOT NULL,
    personal_of {key}  REFERENCES users (id) ON DELETE CASCADE,
    created_at  {time} NOT NULL,
    version     BIGINT NOT NULL
);

CREATE UNIQUE INDEX workspaces_personal_of ON workspaces (personal_of);

CREATE TABLE members (
    org_id    {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id   {key}  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    grants    TEXT   NOT NULL,
    joined_at {time} NOT NULL,
    version   BIGINT NOT NULL,
    PRIMARY KEY (org_id, user_id)
);

CREATE INDEX members_user_id ON members (user_id);

-- What a refresh changes (refresh, previous, rotated_at, last_used_at, version)
-- must never be indexed: then PostgreSQL updates the row within its page and no
-- index is written. purge_at is expires_at while the session holds, and a while
-- after ended_at once it ended.
CREATE TABLE sessions (
    id           {key}  PRIMARY KEY,
    user_id      {key}  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id       {key}  NOT NULL,
    created_at   {time} NOT NULL,
    auth_time    {time} NOT NULL,
    amr          TEXT   NOT NULL,
    ip           TEXT   NOT NULL,
    ip_index     {key}  NOT NULL,
    user_agent   TEXT   NOT NULL,
    refresh      TEXT   NOT NULL,
    previous     TEXT   NOT NULL,
    rotated_at   {time},
    last_used_at {time} NOT NULL,
    idle_seconds BIGINT NOT NULL,
    expires_at   {time} NOT NULL,
    ended_at     {time},
    end_reason   TEXT   NOT NULL,
    purge_at     {time} NOT NULL,
    version      BIGINT NOT NULL
) {fill 80};

CREATE INDEX sessions_user_id  ON sessions (user_id, id);
CREATE INDEX sessions_org_id   ON sessions (org_id, id);
CREATE INDEX sessions_ip_index ON sessions (ip_index, id);
CREATE INDEX sessions_purge_at ON sessions (purge_at);

-- Audit log and outbox at once: rows are added, never changed. They outlive whom
-- they are about, so nothing is referenced. The indexes leave empty values out;
-- a query that wants one of them says so (… AND user_id <> '').
CREATE TABLE events (
    id         {key}  PRIMARY KEY,
    kind       {key}  NOT NULL,
    at         {time} NOT NULL,
    outcome    TEXT   NOT NULL,
    user_id    {key}  NOT NULL,
    org_id     {key}  NOT NULL,
    actor_kind TEXT   NOT NULL,
    actor_id   {key}  NOT NULL,
    session_id {key}  NOT NULL,
    ip         TEXT   NOT NULL,
    ip_index   {key}  NOT NULL,
    user_agent TEXT   NOT NULL,
    request_id {key}  NOT NULL,
    command    TEXT   NOT NULL,
    data       TEXT   NOT NULL
);

CREATE INDEX events_at         ON events (at, id);
CREATE INDEX events_kind       ON events (kind, id);
CREATE INDEX events_user_id    ON events (user_id, id) WHERE user_id <> '';
CREATE INDEX events_org_id     ON events (org_id, id) WHERE org_id <> '';
CREATE INDEX events_actor_id   ON events (actor_id, id) WHERE actor_id <> '';
CREATE INDEX events_ip_index   ON events (ip_index, id) WHERE ip_index <> '';
CREATE INDEX events_request_id ON events (request_id) WHERE request_id <> '';

CREATE TABLE idempotency (
    key        {key}  PRIMARY KEY,
    body       TEXT   NOT NULL,
    answer     TEXT   NOT NULL,
    created_at {time} NOT NULL,
    expires_at {time} NOT NULL
);

CREATE INDEX idempotency_expires_at ON idempotency (expires_at);

-- minute counts the minutes of the Unix epoch.
CREATE TABLE login_failures (
    minute BIGINT PRIMARY KEY,
    count  BIGINT NOT NULL
) {fill 80};
