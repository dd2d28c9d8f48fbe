-- told_expires_at is the end of a key that api_key.expiring was emitted for.
ALTER TABLE api_keys ADD COLUMN told_expires_at {time};

CREATE INDEX api_keys_expires_at ON api_keys (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
