// Code generated from the declarations by cmd/docs; DO NOT EDIT.

/** The stable names of what can be wrong. */
export type ErrorCode = 'ambiguous_match' | 'confirmation_required' | 'conflict' | 'database_unavailable' | 'forbidden_by_role' | 'idempotency_in_progress' | 'idempotency_key_reused' | 'insufficient_scope' | 'internal' | 'invalid_token' | 'invalid_transition' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'payload_too_large' | 'precondition_failed' | 'second_factor_required' | 'service_unavailable' | 'session_required' | 'timeout' | 'too_many_requests' | 'unauthorized' | 'unsupported_media_type' | 'validation_failed' | 'version_required' | 'version_unsupported'

/** What changes can be of. */
export type ResourceName = 'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote' | 'association' | 'pipeline' | 'lifecycle_stage' | 'loss_reason' | 'user' | 'role' | 'token' | 'app' | 'view' | 'report' | 'follow' | 'notification' | 'field' | 'webhook' | 'business'
