-- Where the relations of a workspace stand: revision counts every change, model_version
-- is that of the model in force, 0 for none.
CREATE TABLE relation_heads (
    org_id        {key}  PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    revision      BIGINT NOT NULL,
    model_version BIGINT NOT NULL
) {fill 80};

CREATE TABLE relation_models (
    org_id     {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    version    BIGINT NOT NULL,
    model      TEXT   NOT NULL,
    created_at {time} NOT NULL,
    PRIMARY KEY (org_id, version)
);

-- A tuple: object and subject as type:id, kind 1 where the subject is a userset. shape is
-- document#viewer@group#member with the condition behind it, context the values that the
-- tuple gives the condition, as JSON. What is deleted with a user or a group is found in
-- all workspaces, so object and subject go before the workspace.
CREATE TABLE relation_tuples (
    object     {key}  NOT NULL,
    org_id     {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    relation   {key}  NOT NULL,
    kind       BIGINT NOT NULL,
    subject    {key}  NOT NULL,
    shape      {key}  NOT NULL,
    context    TEXT   NOT NULL,
    expires_at {time},
    written_at {time} NOT NULL,
    PRIMARY KEY (object, org_id, relation, kind, subject)
);

CREATE INDEX relation_tuples_subject ON relation_tuples (subject, org_id, relation, object);
CREATE INDEX relation_tuples_shape ON relation_tuples (org_id, shape, object, subject);
CREATE INDEX relation_tuples_expires_at ON relation_tuples (expires_at) WHERE expires_at IS NOT NULL;
