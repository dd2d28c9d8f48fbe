-- What was set of the look of mails and pages, as JSON; '' is nothing.
ALTER TABLE instance   ADD COLUMN branding TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN branding TEXT NOT NULL DEFAULT '';
