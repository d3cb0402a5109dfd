-- How often a name went within the time that it stays reserved: renamings are bounded by it.
ALTER TABLE subject_former_names ADD COLUMN times smallint NOT NULL DEFAULT 1;
