-- What access tokens are signed by: there may be an active key of the other algorithm besides.
ALTER TABLE key_ring ADD COLUMN signs TEXT NOT NULL DEFAULT 'ES256';

UPDATE key_ring SET signs = COALESCE((
    SELECT MAX(algorithm) FROM signing_keys
    WHERE algorithm <> 'EdDSA' AND activated_at IS NOT NULL AND overlap_until IS NULL AND revoked_at IS NULL
), 'ES256');

-- What ID tokens of an app are signed by; empty where nobody logs in to it.
ALTER TABLE apps ADD COLUMN id_token_alg {key} NOT NULL DEFAULT '';

UPDATE apps SET id_token_alg = 'ES256' WHERE grant_types LIKE '%authorization_code%' OR grant_types LIKE '%device_code%';

CREATE INDEX apps_id_tokens ON apps (id_token_alg) WHERE id_token_alg <> '';
