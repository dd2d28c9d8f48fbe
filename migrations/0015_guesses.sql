-- What the hash of a password costs to compare, whoever's it is (password.Form). Hashes
-- from before say it with the next change of their row, which the next attempt at their
-- password is; those of bcrypt, the slowest kind, at once.
ALTER TABLE credentials ADD COLUMN form {key} NOT NULL DEFAULT '';

UPDATE credentials SET form = substr(hash, 1, 7) || '53' WHERE hash LIKE '$2_$__$%';

CREATE INDEX credentials_form ON credentials (form) WHERE form > '';

-- The wrong guesses that count of one subject, which is a session or the keyed hash of an
-- address.
CREATE TABLE guesses (
    subject    {key}  PRIMARY KEY,
    misses     TEXT   NOT NULL,
    until      {time},
    expires_at {time} NOT NULL,
    version    BIGINT NOT NULL
) {fill 80};

CREATE INDEX guesses_expires_at ON guesses (expires_at);
