-- What workspaces are addressed and shown by, and how one enters them. slug is NULL in
-- rows that the release before makes; it is read as the one that it would be given here.
-- allowed_methods is a JSON list, '' is any; metadata and disabled_reason are sealed. A workspace whose
-- deleted_at is set is gone for everybody, and is being emptied. rights counts the
-- changes to its own roles and those of its groups; 0 is that it never had any.
ALTER TABLE workspaces ADD COLUMN slug {key};
ALTER TABLE workspaces ADD COLUMN name_folded {key} NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN logo_url TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN default_role TEXT NOT NULL DEFAULT 'member';
ALTER TABLE workspaces ADD COLUMN allowed_methods TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN metadata TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN disabled_at {time};
ALTER TABLE workspaces ADD COLUMN disabled_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN deleted_at {time};
ALTER TABLE workspaces ADD COLUMN rights BIGINT NOT NULL DEFAULT 0;

-- The end of an identifier is random.
UPDATE workspaces SET name_folded = LOWER(name),
    slug = CASE WHEN personal_of IS NULL THEN 'workspace-' ELSE 'personal-' END || SUBSTR(id, 21);

CREATE UNIQUE INDEX workspaces_slug ON workspaces (slug);
CREATE INDEX workspaces_name_folded ON workspaces (name_folded);
CREATE INDEX workspaces_deleted_at  ON workspaces (deleted_at) WHERE deleted_at IS NOT NULL;

-- Slugs that were given up, and by which workspace: until a time nobody else may have
-- them. No key ties them to the workspace, which may be gone.
CREATE TABLE reserved_slugs (
    slug   {key}  PRIMARY KEY,
    org_id {key}  NOT NULL,
    until  {time} NOT NULL
);

CREATE INDEX reserved_slugs_until ON reserved_slugs (until);

-- groups are the identifiers of the groups that a member is in, a JSON list as
-- group_members has them, so that no request joins that.
ALTER TABLE members ADD COLUMN groups TEXT NOT NULL DEFAULT '';

-- Who belongs where, in the order of lists; and the few of a large workspace who hold
-- more than the common role.
CREATE INDEX members_user_org ON members (user_id, org_id);
DROP INDEX members_user_id;
CREATE INDEX members_roles ON members (org_id, user_id)
    WHERE {position}(grants, '"owner"') > 0 OR {position}(grants, '"admin"') > 0 OR {position}(grants, '"rol_') > 0;

-- The workspace that somebody was last active in; '' is the personal one.
ALTER TABLE users ADD COLUMN last_org {key} NOT NULL DEFAULT '';
