-- What an app wants held beyond what holds for all clients, as JSON; empty for nothing.
ALTER TABLE apps ADD COLUMN rules TEXT NOT NULL DEFAULT '';

-- What the client knows the person by; empty for their identifier.
ALTER TABLE oauth_grants ADD COLUMN subject {key} NOT NULL DEFAULT '';
