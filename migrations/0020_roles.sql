-- Custom roles of workspaces. name_folded makes names unique without case; permissions
-- and inherits are JSON lists, the latter of keys: an id, or the name of a built-in role.
CREATE TABLE roles (
    id          {key}  PRIMARY KEY,
    org_id      {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name        TEXT   NOT NULL,
    name_folded {key}  NOT NULL,
    description TEXT   NOT NULL,
    permissions TEXT   NOT NULL,
    inherits    TEXT   NOT NULL,
    created_at  {time} NOT NULL,
    updated_at  {time} NOT NULL,
    version     BIGINT NOT NULL
);

CREATE UNIQUE INDEX roles_name_folded ON roles (org_id, name_folded);

-- Permissions that workspaces define for their own applications.
CREATE TABLE own_permissions (
    org_id      {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name        {key}  NOT NULL,
    description TEXT   NOT NULL,
    created_at  {time} NOT NULL,
    version     BIGINT NOT NULL,
    PRIMARY KEY (org_id, name)
);

-- Groups of members. external_id is '' where there is none; roles is a JSON list of keys.
CREATE TABLE member_groups (
    id          {key}  PRIMARY KEY,
    org_id      {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name        TEXT   NOT NULL,
    name_folded {key}  NOT NULL,
    description TEXT   NOT NULL,
    external_id {key}  NOT NULL,
    roles       TEXT   NOT NULL,
    created_at  {time} NOT NULL,
    updated_at  {time} NOT NULL,
    version     BIGINT NOT NULL
);

CREATE UNIQUE INDEX member_groups_name_folded ON member_groups (org_id, name_folded);
CREATE UNIQUE INDEX member_groups_external_id ON member_groups (org_id, external_id) WHERE external_id <> '';
CREATE INDEX member_groups_org_id ON member_groups (org_id, id);

-- Who is in which group: the truth behind members.groups, which admission reads.
CREATE TABLE group_members (
    group_id {key}  NOT NULL REFERENCES member_groups (id) ON DELETE CASCADE,
    org_id   {key}  NOT NULL,
    user_id  {key}  NOT NULL,
    added_at {time} NOT NULL,
    PRIMARY KEY (group_id, user_id),
    FOREIGN KEY (org_id, user_id) REFERENCES members (org_id, user_id) ON DELETE CASCADE
);

CREATE INDEX group_members_user_id ON group_members (org_id, user_id);

-- The roles that members.grants names, so that who holds one is a range of an index
-- whatever the number of members. When a grant ends stands in members.grants alone.
CREATE TABLE member_roles (
    org_id  {key} NOT NULL,
    role    {key} NOT NULL,
    user_id {key} NOT NULL,
    PRIMARY KEY (org_id, role, user_id),
    FOREIGN KEY (org_id, user_id) REFERENCES members (org_id, user_id) ON DELETE CASCADE
);

CREATE INDEX member_roles_user_id ON member_roles (org_id, user_id);

INSERT INTO member_roles (org_id, role, user_id) SELECT org_id, 'owner', user_id FROM members WHERE {position}(grants, '"owner"') > 0;
INSERT INTO member_roles (org_id, role, user_id) SELECT org_id, 'admin', user_id FROM members WHERE {position}(grants, '"admin"') > 0;
INSERT INTO member_roles (org_id, role, user_id) SELECT org_id, 'member', user_id FROM members WHERE {position}(grants, '"member"') > 0;
