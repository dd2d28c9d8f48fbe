-- The format of a block says what it proves; replicas say up to which format they verify. Those of
-- the previous release know the first alone.
ALTER TABLE audit_blocks ADD COLUMN format BIGINT NOT NULL DEFAULT 1;
ALTER TABLE replicas ADD COLUMN audit_format BIGINT NOT NULL DEFAULT 1;
