-- The revisions at which the flows that are in force changed last, those of the instance and
-- those of any workspace; 0: never.
ALTER TABLE instance ADD COLUMN flows_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE instance ADD COLUMN workspace_flows_at BIGINT NOT NULL DEFAULT 0;

-- Claims that flows set for the tokens of a session, as sealed JSON; empty: none.
ALTER TABLE sessions ADD COLUMN flow_claims TEXT NOT NULL DEFAULT '';
