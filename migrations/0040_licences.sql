-- What workspaces sell and license. features is JSON that SQL does not look into;
-- metadata is sealed.
CREATE TABLE products (
    id          {key}   PRIMARY KEY,
    org_id      {key}   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name        TEXT    NOT NULL,
    name_folded {key}   NOT NULL,
    slug        {key}   NOT NULL,
    description TEXT    NOT NULL,
    processor   TEXT    NOT NULL,
    features    TEXT    NOT NULL,
    policy_id   {key}   NOT NULL,
    is_public   BOOLEAN NOT NULL,
    archived    BOOLEAN NOT NULL,
    grace_days  BIGINT  NOT NULL,
    metadata    TEXT    NOT NULL,
    created_at  {time}  NOT NULL,
    updated_at  {time}  NOT NULL,
    version     BIGINT  NOT NULL
);

CREATE INDEX products_org_id ON products (org_id, id);
CREATE INDEX products_policy_id ON products (policy_id) WHERE policy_id <> '';

-- The slugs that products have or had. No key ties them to what may be deleted: a slug is
-- never given away.
CREATE TABLE product_slugs (
    slug       {key} PRIMARY KEY,
    product_id {key} NOT NULL
);

-- The terms that licences are issued from; terms is JSON that SQL does not look into.
CREATE TABLE license_policies (
    id         {key}  PRIMARY KEY,
    org_id     {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    product_id {key}  REFERENCES products (id) ON DELETE CASCADE,
    name       TEXT   NOT NULL,
    terms      TEXT   NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version    BIGINT NOT NULL
);

CREATE INDEX license_policies_org_id ON license_policies (org_id, id);
CREATE INDEX license_policies_product_id ON license_policies (product_id);

-- Licences with their own copy of the terms. user_id and owner_org_id are whose they are;
-- ends_at is expires_at with the days of grace, NULL for never.
CREATE TABLE licenses (
    id           {key}  PRIMARY KEY,
    org_id       {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    product_id   {key}  NOT NULL REFERENCES products (id),
    policy_id    {key}  REFERENCES license_policies (id),
    terms        TEXT   NOT NULL,
    overrides    TEXT   NOT NULL,
    user_id      {key}  REFERENCES users (id) ON DELETE SET NULL,
    owner_org_id {key}  REFERENCES workspaces (id) ON DELETE SET NULL,
    status       TEXT   NOT NULL,
    reason       TEXT   NOT NULL,
    activated_at {time},
    expires_at   {time},
    ends_at      {time},
    last_seen_at {time},
    metadata     TEXT   NOT NULL,
    created_at   {time} NOT NULL,
    updated_at   {time} NOT NULL,
    version      BIGINT NOT NULL
);

CREATE INDEX licenses_org_id ON licenses (org_id, id);
CREATE INDEX licenses_product_id ON licenses (product_id, id);
CREATE INDEX licenses_policy_id ON licenses (policy_id, id);
CREATE INDEX licenses_user_id ON licenses (user_id, id);
CREATE INDEX licenses_owner_org_id ON licenses (owner_org_id, id);

-- The keys of licences by their keyed digest; the text is sealed, or '' where nothing is.
-- ends_at is set for one that was rotated away.
CREATE TABLE license_keys (
    digest     {key}  PRIMARY KEY,
    license_id {key}  NOT NULL REFERENCES licenses (id) ON DELETE CASCADE,
    key        TEXT   NOT NULL,
    ends_at    {time}
);

CREATE INDEX license_keys_license_id ON license_keys (license_id);
CREATE INDEX license_keys_ends_at ON license_keys (ends_at) WHERE ends_at IS NOT NULL;

-- The machines that licences were activated on, by the keyed digest of their fingerprint.
-- fingerprint, name and metadata are sealed; beat_at is the last sign of
-- life, lapses_at until when the place is taken.
CREATE TABLE license_machines (
    id           {key}  PRIMARY KEY,
    license_id   {key}  NOT NULL REFERENCES licenses (id) ON DELETE CASCADE,
    digest       {key}  NOT NULL,
    fingerprint  TEXT   NOT NULL,
    name         TEXT   NOT NULL,
    platform     TEXT   NOT NULL,
    metadata     TEXT   NOT NULL,
    activated_at {time} NOT NULL,
    beat_at      {time} NOT NULL,
    lapses_at    {time},
    version      BIGINT NOT NULL
);

CREATE UNIQUE INDEX license_machines_digest ON license_machines (license_id, digest);
CREATE INDEX license_machines_license_id ON license_machines (license_id, id);
CREATE INDEX license_machines_lapses_at ON license_machines (lapses_at) WHERE lapses_at IS NOT NULL;
