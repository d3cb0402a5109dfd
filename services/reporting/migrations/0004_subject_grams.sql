-- Which subjects' names hold a piece of two or three characters, in the order of their ids: a
-- search walks the list of its rarest piece from the newest on and stops once its page is full. A
-- GIN index always reads a list to its end, so that what it costs grows with a text's frequency.
CREATE TABLE subject_grams (
  -- As bytes: nothing is ever sorted by it but the key.
  gram text COLLATE "C" NOT NULL,
  subject_id uuid NOT NULL,
  PRIMARY KEY (gram, subject_id)
);

-- Pieces of names that are gone may stay: what a search finds by them it looks at again.
CREATE FUNCTION keep_subject_grams() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO subject_grams (gram, subject_id)
  SELECT unnest(search_grams(NEW.search_text)), NEW.id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

-- A trigger, because replicas of the release before go on writing subjects while this one starts.
CREATE TRIGGER keep_subject_grams AFTER INSERT OR UPDATE OF search_text ON subjects
FOR EACH ROW EXECUTE FUNCTION keep_subject_grams();
