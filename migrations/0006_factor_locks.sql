-- Until when wrong codes have locked an account for codes, as its sealed document
-- says: whoever saves that writes it here too. Of documents that were saved before it
-- is NULL until they are saved again, so that a lock which stands while this lands
-- is missing from the list of locks.
ALTER TABLE second_factors ADD COLUMN locked_until {time};

-- Locks are listed in the order of these.
CREATE INDEX second_factors_locked_until ON second_factors (locked_until, user_id) WHERE locked_until IS NOT NULL;
DROP INDEX credentials_locked_until;
CREATE INDEX credentials_locked_until ON credentials (locked_until, user_id) WHERE locked_until IS NOT NULL;
