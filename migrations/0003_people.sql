-- What somebody must do before they are let in, as a JSON list; '' is nothing.
ALTER TABLE users ADD COLUMN required_actions TEXT NOT NULL DEFAULT '';

-- What is waited for: an answer to a ceremony, or a link that was mailed. It is
-- found by the digest of what the client holds, and removed by whoever uses it.
-- content is always sealed; code is the keyed hash of a mailed code.
CREATE TABLE challenges (
    digest          {key}  PRIMARY KEY,
    kind            {key}  NOT NULL,
    user_id         {key}  REFERENCES users (id) ON DELETE CASCADE,
    content         TEXT   NOT NULL,
    code            TEXT   NOT NULL,
    code_expires_at {time},
    failures        BIGINT NOT NULL,
    created_at      {time} NOT NULL,
    expires_at      {time} NOT NULL
) {fill 80};

CREATE INDEX challenges_user_id    ON challenges (user_id, kind) WHERE user_id IS NOT NULL;
CREATE INDEX challenges_expires_at ON challenges (expires_at);

-- The second factors of one account, with its recovery codes and the wrong codes
-- that count: one document, so that a code works once under one version.
CREATE TABLE second_factors (
    user_id {key}  PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    content TEXT   NOT NULL,
    version BIGINT NOT NULL
) {fill 80};

-- credential_id is as WebAuthn gives it, in base64url; content is the credential
-- record (Web Authentication section 4), with its attestation.
CREATE TABLE passkeys (
    id            {key}  PRIMARY KEY,
    user_id       {key}  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    credential_id TEXT   NOT NULL,
    name          TEXT   NOT NULL,
    content       TEXT   NOT NULL,
    created_at    {time} NOT NULL,
    last_used_at  {time},
    version       BIGINT NOT NULL
) {fill 80};

CREATE UNIQUE INDEX passkeys_credential_id ON passkeys (credential_id);
CREATE INDEX passkeys_user_id ON passkeys (user_id, id);

-- upstream_id and email are sealed like other personal data, tokens always.
CREATE TABLE identities (
    id             {key}  PRIMARY KEY,
    user_id        {key}  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider       {key}  NOT NULL,
    upstream_id    TEXT   NOT NULL,
    upstream_index {key}  NOT NULL,
    email          TEXT   NOT NULL,
    tokens         TEXT   NOT NULL,
    linked_at      {time} NOT NULL,
    last_login_at  {time},
    version        BIGINT NOT NULL
) {fill 80};

CREATE UNIQUE INDEX identities_upstream ON identities (provider, upstream_index);
CREATE UNIQUE INDEX identities_user_id  ON identities (user_id, provider);

-- The redirect_urls of apps, each findable by its exact text.
CREATE TABLE app_redirects (
    url    {key} NOT NULL,
    app_id {key} NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    PRIMARY KEY (url, app_id)
);

CREATE INDEX app_redirects_app_id ON app_redirects (app_id);

INSERT INTO app_redirects (url, app_id)
SELECT DISTINCT r.value, apps.id FROM apps CROSS JOIN {texts of apps.redirect_urls} AS r WHERE apps.redirect_urls <> '';

-- What an administrator set over the environment; content is sealed always.
CREATE TABLE social_providers (
    provider {key}  PRIMARY KEY,
    content  TEXT   NOT NULL,
    version  BIGINT NOT NULL
);

-- Devices that skip the second factor; digest is that of the token they hold.
CREATE TABLE devices (
    id           {key}  PRIMARY KEY,
    user_id      {key}  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    digest       {key}  NOT NULL,
    name         TEXT   NOT NULL,
    ip           TEXT   NOT NULL,
    user_agent   TEXT   NOT NULL,
    created_at   {time} NOT NULL,
    last_used_at {time},
    expires_at   {time} NOT NULL,
    version      BIGINT NOT NULL
);

CREATE UNIQUE INDEX devices_digest ON devices (digest);
CREATE INDEX devices_user_id    ON devices (user_id, id);
CREATE INDEX devices_expires_at ON devices (expires_at);

-- The queue of mail and what became of it. content, which says what is to be
-- written to whom, and recipient, the address that it went to, are sealed always;
-- neither holds a secret, since links and codes are made when the mail is written.
-- once is what must not be mailed about twice. A mail that somebody sends is due
-- again at the end of their lease; attempts tells whose turn it is.
CREATE TABLE mails (
    id              {key}  PRIMARY KEY,
    template        {key}  NOT NULL,
    user_id         {key}  REFERENCES users (id) ON DELETE CASCADE,
    recipient       TEXT   NOT NULL,
    recipient_index {key}  NOT NULL,
    content         TEXT   NOT NULL,
    once            {key},
    status          {key}  NOT NULL,
    attempts        BIGINT NOT NULL,
    last_error      TEXT   NOT NULL,
    created_at      {time} NOT NULL,
    due_at          {time} NOT NULL,
    done_at         {time},
    purge_at        {time} NOT NULL
) {fill 80};

CREATE UNIQUE INDEX mails_once ON mails (once);
CREATE INDEX mails_user_id   ON mails (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX mails_due_at    ON mails (due_at) WHERE status = 'queued';
CREATE INDEX mails_failed    ON mails (done_at) WHERE status = 'failed';
CREATE INDEX mails_status    ON mails (status, id);
CREATE INDEX mails_template  ON mails (template, id);
CREATE INDEX mails_recipient ON mails (recipient_index, id) WHERE recipient_index <> '';
CREATE INDEX mails_purge_at  ON mails (purge_at);

-- org_id '' is the instance, locale '' any language.
CREATE TABLE email_templates (
    org_id     {key}  NOT NULL,
    template   {key}  NOT NULL,
    locale     {key}  NOT NULL,
    subject    TEXT   NOT NULL,
    html       TEXT   NOT NULL,
    text       TEXT   NOT NULL,
    updated_at {time} NOT NULL,
    PRIMARY KEY (org_id, template, locale)
);

-- Addresses that get no mail. The address is sealed like other personal data.
CREATE TABLE suppressions (
    id          {key}  PRIMARY KEY,
    email       TEXT   NOT NULL,
    email_index {key}  NOT NULL,
    reason      TEXT   NOT NULL,
    created_at  {time} NOT NULL
);

CREATE UNIQUE INDEX suppressions_email_index ON suppressions (email_index);

-- Security notices. event_id is the event that a notice tells of, or ''.
CREATE TABLE notifications (
    id         {key}  PRIMARY KEY,
    user_id    {key}  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind       {key}  NOT NULL,
    event_id   {key}  NOT NULL,
    ip         TEXT   NOT NULL,
    user_agent TEXT   NOT NULL,
    created_at {time} NOT NULL,
    read_at    {time},
    purge_at   {time} NOT NULL
);

CREATE INDEX notifications_user_id  ON notifications (user_id, id);
CREATE INDEX notifications_unread   ON notifications (user_id, id) WHERE read_at IS NULL;
CREATE INDEX notifications_purge_at ON notifications (purge_at);

-- What somebody logged in with, by the name that a device is known by again.
CREATE TABLE known_clients (
    user_id {key}  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client  {key}  NOT NULL,
    seen_at {time} NOT NULL,
    PRIMARY KEY (user_id, client)
) {fill 80};

CREATE TABLE notification_preferences (
    user_id {key}  PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    content TEXT   NOT NULL,
    version BIGINT NOT NULL
);
