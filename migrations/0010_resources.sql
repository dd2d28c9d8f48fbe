-- The names that tokens carry: slugs of apps, also of deleted ones, and audiences. A
-- name belongs to one workspace for good, '' being the instance, so no key ties it to
-- what may be deleted. epoch counts how often it changed hands, version every change
-- that tokens for it depend on.
CREATE TABLE audiences (
    name    {key}   PRIMARY KEY,
    org_id  {key}   NOT NULL,
    slug    BOOLEAN NOT NULL,
    epoch   BIGINT  NOT NULL,
    version BIGINT  NOT NULL
);

CREATE INDEX audiences_org_id ON audiences (org_id) WHERE NOT slug;

INSERT INTO audiences (name, org_id, slug, epoch, version) SELECT slug, org_id, TRUE, 0, 1 FROM apps;

-- What is registered under an audience; org_id NULL is the instance. scopes is JSON that
-- SQL does not look into.
CREATE TABLE oauth_resources (
    id                 {key}   PRIMARY KEY,
    org_id             {key}   REFERENCES workspaces (id) ON DELETE CASCADE,
    identifier         {key}   NOT NULL,
    name               TEXT    NOT NULL,
    scopes             TEXT    NOT NULL,
    access_ttl_seconds BIGINT  NOT NULL,
    signing_alg        TEXT    NOT NULL,
    skip_consent       BOOLEAN NOT NULL,
    origin             TEXT    NOT NULL,
    created_at         {time}  NOT NULL,
    updated_at         {time}  NOT NULL,
    version            BIGINT  NOT NULL
);

CREATE UNIQUE INDEX oauth_resources_identifier ON oauth_resources (identifier);
CREATE INDEX oauth_resources_org_id ON oauth_resources (org_id, id);

ALTER TABLE m2m_tokens ADD COLUMN audience_epoch BIGINT NOT NULL DEFAULT 0;

-- Those of the scopes of an app that a superadmin granted.
ALTER TABLE apps ADD COLUMN scopes_vouched TEXT NOT NULL DEFAULT '';
CREATE INDEX apps_scopes_vouched ON apps (id) WHERE scopes_vouched <> '';
CREATE INDEX apps_name_folded ON apps (name_folded);
