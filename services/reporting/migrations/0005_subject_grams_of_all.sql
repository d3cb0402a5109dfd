-- Subjects from before the trigger. Apart from it: making the trigger keeps writers out, and this
-- takes some minutes for a million subjects.
INSERT INTO subject_grams (gram, subject_id)
SELECT unnest(search_grams(search_text)), id FROM subjects
ON CONFLICT DO NOTHING;
