-- What was taken back from an app that may ask for scopes without a grant: JSON that
-- SQL does not look into.
ALTER TABLE apps ADD COLUMN scopes_withdrawn TEXT NOT NULL DEFAULT '';
