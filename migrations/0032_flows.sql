-- Flows of workspaces and of the instance, whose org_id is NULL. number is the current
-- version of the graph; version counts the changes of the row.
CREATE TABLE flows (
    id           {key}   PRIMARY KEY,
    org_id       {key}   REFERENCES workspaces (id) ON DELETE CASCADE,
    name         {key}   NOT NULL,
    description  TEXT    NOT NULL,
    flow_trigger {key}   NOT NULL,
    enabled      BOOLEAN NOT NULL,
    number       BIGINT  NOT NULL,
    created_at   {time}  NOT NULL,
    updated_at   {time}  NOT NULL,
    version      BIGINT  NOT NULL
);

CREATE UNIQUE INDEX flows_name ON flows (COALESCE(org_id, ''), name);
CREATE UNIQUE INDEX flows_enabled ON flows (COALESCE(org_id, ''), flow_trigger) WHERE enabled;
CREATE INDEX flows_org_id ON flows (org_id);

-- The last 100 versions of each flow. changes is a JSON list of texts.
CREATE TABLE flow_versions (
    flow_id    {key}  NOT NULL REFERENCES flows (id) ON DELETE CASCADE,
    number     BIGINT NOT NULL,
    graph      TEXT   NOT NULL,
    author     TEXT   NOT NULL,
    changes    TEXT   NOT NULL,
    created_at {time} NOT NULL,
    PRIMARY KEY (flow_id, number)
);
