-- Rules about network addresses. org_id '' is the instance, list '' none. The range and the
-- note are sealed; cidr_index is the blind index of the range.
CREATE TABLE ip_rules (
    id         {key}   PRIMARY KEY,
    org_id     {key}   NOT NULL,
    list       {key}   NOT NULL,
    action     {key}   NOT NULL,
    cidr       TEXT    NOT NULL,
    cidr_index {key}   NOT NULL,
    note       TEXT    NOT NULL,
    enabled    BOOLEAN NOT NULL,
    expires_at {time},
    created_at {time}  NOT NULL,
    updated_at {time}  NOT NULL,
    version    BIGINT  NOT NULL
);

CREATE UNIQUE INDEX ip_rules_cidr      ON ip_rules (org_id, list, cidr_index);
CREATE INDEX        ip_rules_org_id_id ON ip_rules (org_id, id);

-- The revisions at which rules of the instance, and of any workspace, changed last; 0: never.
ALTER TABLE instance ADD COLUMN ip_rules_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE instance ADD COLUMN workspace_ip_rules_at BIGINT NOT NULL DEFAULT 0;
