ALTER TABLE webhook_delivery ADD COLUMN tried json;
