-- What the clock ended and events tell: told_ends_at is the end of a licence that was told.
-- Those that are to be told are found by the index alone; it changes with the end of a
-- licence, not with its use.
ALTER TABLE licenses ADD COLUMN told_ends_at {time};

CREATE INDEX licenses_ends_at ON licenses (ends_at)
    WHERE status = 'active' AND ends_at IS NOT NULL AND (told_ends_at IS NULL OR told_ends_at <> ends_at);

-- How far the ends of leases and machines are told: all until a time, and of that those
-- with an identifier up to id. These ends are written ahead of the clock, and only ever
-- moved on.
CREATE TABLE license_ends (
    kind  {key} PRIMARY KEY,
    until {time},
    id    {key} NOT NULL
);
