-- Counts the inquiries of the last 24 hours. Rows come in the order of their time, so a summary
-- for each range of pages is all it needs; it costs the hot insert next to nothing.
CREATE INDEX inquiries_of_the_day ON inquiries USING brin (created_at) WITH (autosummarize = on);
