-- What events did to objects of configuration: their state before and after, sealed and without
-- secrets. resource is the first half of the kind, object the identifier of what changed. A row
-- goes with its event.
CREATE TABLE event_changes (
    id       {key} PRIMARY KEY,
    org_id   {key} NOT NULL,
    resource {key} NOT NULL,
    object   {key} NOT NULL,
    actor_id {key} NOT NULL,
    before   TEXT  NOT NULL,
    after    TEXT  NOT NULL
);

CREATE INDEX event_changes_resource ON event_changes (resource, id);
CREATE INDEX event_changes_org_id   ON event_changes (org_id, resource, id);
CREATE INDEX event_changes_object   ON event_changes (object, id) WHERE object <> '';
