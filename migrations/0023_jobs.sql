-- Work that takes longer than a call. org_id is '' for a job of the instance; maker is the
-- person, key or app that started it, user_id the person of either. content is what was
-- asked for and by whom, saved where the next step begins: both sealed by JWT_SECRET. A
-- running job has one of a few slots of its workspace, and is claimed until lease_until.
CREATE TABLE jobs (
    id            {key}  PRIMARY KEY,
    kind          {key}  NOT NULL,
    org_id        {key}  NOT NULL,
    user_id       {key}  NOT NULL,
    maker         {key}  NOT NULL,
    status        {key}  NOT NULL,
    slot          BIGINT NOT NULL DEFAULT 0,
    done          BIGINT NOT NULL,
    total         BIGINT NOT NULL,
    failed        BIGINT NOT NULL,
    row_count     BIGINT NOT NULL,
    content_type  TEXT   NOT NULL,
    why           TEXT   NOT NULL,
    content       TEXT   NOT NULL,
    saved         TEXT   NOT NULL,
    turns         BIGINT NOT NULL,
    fruitless     BIGINT NOT NULL,
    lease_until   {time},
    created_at    {time} NOT NULL,
    started_at    {time},
    finished_at   {time},
    results_until {time},
    purge_at      {time},
    version       BIGINT NOT NULL
) {fill 80};

CREATE UNIQUE INDEX jobs_slot       ON jobs (org_id, slot) WHERE status = 'running';
CREATE INDEX jobs_queued            ON jobs (id)           WHERE status = 'queued';
CREATE INDEX jobs_lease_until       ON jobs (lease_until)  WHERE status = 'running';
CREATE INDEX jobs_org_id            ON jobs (org_id, id);
CREATE INDEX jobs_user_id           ON jobs (user_id, id);
CREATE INDEX jobs_maker             ON jobs (maker, id);
CREATE INDEX jobs_results_until     ON jobs (results_until);
CREATE INDEX jobs_purge_at          ON jobs (purge_at);

-- What jobs were given and what they leave, row by row, sealed by JWT_SECRET. id is that of
-- the job, the part and the number of the row, so that a part is a range.
CREATE TABLE job_rows (
    id      {key} PRIMARY KEY,
    job_id  {key} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    content TEXT  NOT NULL
);

CREATE INDEX job_rows_job_id ON job_rows (job_id, id);
