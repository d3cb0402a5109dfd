-- How columns of an institution's CSV files become fields.
CREATE TABLE import_mappings (
  id uuid PRIMARY KEY,
  institution_id uuid NOT NULL,
  -- In the order of its bytes, which is that of its pages.
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  -- JSON objects as they were sent.
  columns_json text,
  constants_json text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (institution_id, name)
);

-- The mapping that an import was begun with, as it stood then.
ALTER TABLE imports ADD COLUMN mapping_name text;
ALTER TABLE imports ADD COLUMN mapping_json text;
