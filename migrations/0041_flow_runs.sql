-- What flows came to. org_id '' is the instance; user_id NULL is nobody. The content, sealed, is
-- the path and the context.
CREATE TABLE flow_runs (
    id           {key}  PRIMARY KEY,
    flow_id      {key}  NOT NULL,
    org_id       {key}  NOT NULL,
    name         {key}  NOT NULL,
    number       BIGINT NOT NULL,
    flow_trigger {key}  NOT NULL,
    user_id      {key}  REFERENCES users (id) ON DELETE CASCADE,
    decision     {key}  NOT NULL,
    took_micros  BIGINT NOT NULL,
    content      TEXT   NOT NULL,
    created_at   {time} NOT NULL
);

CREATE INDEX flow_runs_org_id_id  ON flow_runs (org_id, id);
CREATE INDEX flow_runs_user_id    ON flow_runs (user_id);
CREATE INDEX flow_runs_created_at ON flow_runs (created_at);
