-- Who vouches for an app: '' somebody of its workspace, open nobody, document an address that
-- describes it. registration is the digest of its registration access token; '' is none.
ALTER TABLE apps ADD COLUMN origin       {key} NOT NULL DEFAULT '';
ALTER TABLE apps ADD COLUMN registration TEXT  NOT NULL DEFAULT '';

CREATE INDEX apps_strangers ON apps (org_id, id) WHERE origin <> '';
