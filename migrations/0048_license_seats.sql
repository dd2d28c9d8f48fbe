-- Named seats. holder is the account, or the blind index of the address, that a seat was
-- given to; user_id is the account whose it is, also of an address that is bound. email
-- is sealed.
CREATE TABLE license_seats (
    id          {key}  PRIMARY KEY,
    license_id  {key}  NOT NULL REFERENCES licenses (id) ON DELETE CASCADE,
    holder      {key}  NOT NULL,
    user_id     {key}  REFERENCES users (id) ON DELETE CASCADE,
    email       TEXT   NOT NULL,
    assigned_at {time} NOT NULL,
    version     BIGINT NOT NULL
);

CREATE UNIQUE INDEX license_seats_holder ON license_seats (license_id, holder);
CREATE INDEX license_seats_license_id ON license_seats (license_id, id);
CREATE INDEX license_seats_email ON license_seats (holder) WHERE email <> '';
CREATE INDEX license_seats_user_id ON license_seats (user_id);

-- Leases of floating seats, by the keyed digests of the machine and of the user that the
-- program names. machine_text and user_text are sealed; ends_at is until when the seat is
-- taken.
CREATE TABLE license_leases (
    id           {key}  PRIMARY KEY,
    license_id   {key}  NOT NULL REFERENCES licenses (id) ON DELETE CASCADE,
    machine      {key}  NOT NULL,
    person       {key}  NOT NULL,
    machine_text TEXT   NOT NULL,
    user_text    TEXT   NOT NULL,
    minutes      BIGINT NOT NULL,
    acquired_at  {time} NOT NULL,
    ends_at      {time} NOT NULL,
    version      BIGINT NOT NULL
);

CREATE UNIQUE INDEX license_leases_holder ON license_leases (license_id, machine, person);
CREATE INDEX license_leases_license_id ON license_leases (license_id, ends_at);
CREATE INDEX license_leases_ends_at ON license_leases (ends_at);

-- How much of a meter was used in a period: a day (2026-03-04), a month (2026-03) or, '',
-- the life of the licence. exceeded reports whether that the limit was reached is told.
CREATE TABLE license_usage (
    license_id {key}   NOT NULL REFERENCES licenses (id) ON DELETE CASCADE,
    period     {key}   NOT NULL,
    meter      {key}   NOT NULL,
    used       BIGINT  NOT NULL,
    exceeded   BOOLEAN NOT NULL,
    purge_at   {time},
    PRIMARY KEY (license_id, period, meter)
);

CREATE INDEX license_usage_purge_at ON license_usage (purge_at) WHERE purge_at IS NOT NULL;

-- The uses that were counted under a name of their own, by its keyed digest.
CREATE TABLE license_uses (
    license_id {key}  NOT NULL REFERENCES licenses (id) ON DELETE CASCADE,
    digest     {key}  NOT NULL,
    expires_at {time} NOT NULL,
    PRIMARY KEY (license_id, digest)
);

CREATE INDEX license_uses_expires_at ON license_uses (expires_at);
