-- The features of workspaces. default_value and rules are JSON that SQL does not look
-- into; rule_count is how many there are.
CREATE TABLE features (
    org_id        {key}   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    key           {key}   NOT NULL,
    type          TEXT    NOT NULL,
    default_value TEXT    NOT NULL,
    rules         TEXT    NOT NULL,
    rule_count    BIGINT  NOT NULL,
    enabled       BOOLEAN NOT NULL,
    description   TEXT    NOT NULL,
    created_at    {time}  NOT NULL,
    updated_at    {time}  NOT NULL,
    version       BIGINT  NOT NULL,
    PRIMARY KEY (org_id, key)
);

-- How often the features of a workspace changed; its row is locked by whoever changes them.
CREATE TABLE feature_heads (
    org_id   {key}  PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    revision BIGINT NOT NULL
);

-- Values that are pinned for a person or a workspace anywhere on the instance; subject is
-- the one of user_id and subject_org_id that is set.
CREATE TABLE feature_overrides (
    org_id         {key}  NOT NULL,
    subject        {key}  NOT NULL,
    key            {key}  NOT NULL,
    user_id        {key}  REFERENCES users (id) ON DELETE CASCADE,
    subject_org_id {key}  REFERENCES workspaces (id) ON DELETE CASCADE,
    value          TEXT   NOT NULL,
    expires_at     {time},
    set_at         {time} NOT NULL,
    PRIMARY KEY (org_id, subject, key),
    FOREIGN KEY (org_id, key) REFERENCES features (org_id, key) ON DELETE CASCADE
);

CREATE INDEX feature_overrides_key ON feature_overrides (org_id, key, subject);
CREATE INDEX feature_overrides_user_id ON feature_overrides (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX feature_overrides_subject_org_id ON feature_overrides (subject_org_id) WHERE subject_org_id IS NOT NULL;
CREATE INDEX feature_overrides_expires_at ON feature_overrides (expires_at) WHERE expires_at IS NOT NULL;

-- What somebody owns of one seller, whatever others sold to them.
CREATE INDEX licenses_sold_user ON licenses (org_id, user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX licenses_sold_org ON licenses (org_id, owner_org_id, id) WHERE owner_org_id IS NOT NULL;
