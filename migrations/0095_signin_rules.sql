-- rules_revision is the revision of the instance at which the sign-in rules of a workspace were last
-- tightened, 0 while there are none; rules_at is when. That is NULL for rules from before this release.
ALTER TABLE workspaces ADD COLUMN rules_revision BIGINT NOT NULL DEFAULT 0;
ALTER TABLE workspaces ADD COLUMN rules_at {time};

UPDATE workspaces SET rules_revision = 1 WHERE allowed_methods NOT IN ('', '[]', 'null')
    OR id IN (SELECT org_id FROM policies WHERE kind = 'mfa' AND content LIKE '%"required":true%')
    OR id IN (SELECT org_id FROM flows WHERE enabled AND flow_trigger IN ('login', 'social_login', 'passkey_login') AND org_id IS NOT NULL);

-- met is a JSON object of workspaces and the revisions at which the session met their rules. It is ''
-- for sessions of a release that did not record that.
ALTER TABLE sessions ADD COLUMN met TEXT NOT NULL DEFAULT '';

-- met is the revision at which the rules of the workspace were met, -1 for a grant of a release that did
-- not record that.
ALTER TABLE oauth_grants ADD COLUMN met BIGINT NOT NULL DEFAULT -1;
