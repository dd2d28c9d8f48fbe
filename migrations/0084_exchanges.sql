-- The grant whose token was exchanged for those of this one (RFC 8693); empty for none.
ALTER TABLE oauth_grants ADD COLUMN source {key} NOT NULL DEFAULT '';

-- The clients, by client_id, whose tokens the app may exchange beside its own, as JSON.
ALTER TABLE apps ADD COLUMN exchange_clients TEXT NOT NULL DEFAULT '';
