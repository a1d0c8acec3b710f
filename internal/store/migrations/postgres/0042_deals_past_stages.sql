ALTER TABLE deals ADD COLUMN past_stages json;
