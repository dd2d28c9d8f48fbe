-- The moves of licences from machine to machine, of which a year allows so many.
-- fingerprint is the sealed one of the machine that was left, '' where none is known;
-- file_until is when its last offline file ends.
CREATE TABLE license_transfers (
    id          {key}  PRIMARY KEY,
    license_id  {key}  NOT NULL REFERENCES licenses (id) ON DELETE CASCADE,
    fingerprint TEXT   NOT NULL,
    moved_at    {time} NOT NULL,
    file_until  {time},
    purge_at    {time} NOT NULL
);

CREATE INDEX license_transfers_license_id ON license_transfers (license_id, moved_at);
CREATE INDEX license_transfers_purge_at ON license_transfers (purge_at);

-- The places that were freed by key, by the keyed digest of the machine that had each: a
-- machine that was never activated takes one for a transfer.
CREATE TABLE license_vacancies (
    license_id {key}  NOT NULL REFERENCES licenses (id) ON DELETE CASCADE,
    digest     {key}  NOT NULL,
    expires_at {time} NOT NULL,
    PRIMARY KEY (license_id, digest)
);

CREATE INDEX license_vacancies_expires_at ON license_vacancies (expires_at);

-- Until when the last offline file of a machine holds.
ALTER TABLE license_machines ADD COLUMN offline_until {time};
