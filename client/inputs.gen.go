// Code generated from the declarations by cmd/docs; DO NOT EDIT.

package client

import "time"

// ContactInput is what can be said of a contact. What is not said of a new one is left to the server, and of one that is there it stays.
type ContactInput struct {
	FirstName Field[string] `json:"first_name,omitzero"`
	LastName  Field[string] `json:"last_name,omitzero"`
	// First and last name, or else the e-mail address or phone number, when not given.
	Name        Field[string]    `json:"name,omitzero"`
	Email       Field[string]    `json:"email,omitzero"`
	Phone       Field[string]    `json:"phone,omitzero"`
	MobilePhone Field[string]    `json:"mobile_phone,omitzero"`
	JobTitle    Field[string]    `json:"job_title,omitzero"`
	CompanyID   Field[CompanyID] `json:"company_id,omitzero"`
	LeadScore   Field[float64]   `json:"lead_score,omitzero"`
	// The default stage when not given. What it points to cannot be deleted meanwhile.
	LifecycleStageID Field[LifecycleStageID] `json:"lifecycle_stage_id,omitzero"`
	LeadSource       Field[string]           `json:"lead_source,omitzero"`
	Address          Field[AddressInput]     `json:"address,omitzero"`
	LinkedInURL      Field[string]           `json:"linkedin_url,omitzero"`
	Timezone         Field[string]           `json:"timezone,omitzero"`
	// false when not given.
	DoNotContact Field[bool] `json:"do_not_contact,omitzero"`
	// Moved forward by logged activities.
	LastContactedAt Field[time.Time] `json:"last_contacted_at,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// AddressInput is what can be said of the address of a record; what is not said stays.
type AddressInput struct {
	Street     Field[string] `json:"street,omitzero"`
	City       Field[string] `json:"city,omitzero"`
	Region     Field[string] `json:"region,omitzero"`
	PostalCode Field[string] `json:"postal_code,omitzero"`
	Country    Field[string] `json:"country,omitzero"`
}

// ContactMergeInput is what Merge of a contact takes.
type ContactMergeInput struct {
	// Required. The contact that becomes part of this one.
	OtherID ContactID `json:"other_id,omitzero"`
	// The fields of which the other's value is kept: {"job_title": "other"}.
	Prefer map[string]any `json:"prefer,omitzero"`
}

// ContactUnmergeInput is what Unmerge of a contact takes.
type ContactUnmergeInput struct {
	// Required. The contact that was merged into this one.
	OtherID ContactID `json:"other_id,omitzero"`
}

// CompanyInput is what can be said of a company. What is not said of a new one is left to the server, and of one that is there it stays.
type CompanyInput struct {
	// Required.
	Name      Field[string] `json:"name,omitzero"`
	LegalName Field[string] `json:"legal_name,omitzero"`
	Domain    Field[string] `json:"domain,omitzero"`
	Website   Field[string] `json:"website,omitzero"`
	Email     Field[string] `json:"email,omitzero"`
	Phone     Field[string] `json:"phone,omitzero"`
	Industry  Field[string] `json:"industry,omitzero"`
	// Free text, such as customer, partner or supplier.
	CompanyType   Field[string]  `json:"company_type,omitzero"`
	EmployeeCount Field[int64]   `json:"employee_count,omitzero"`
	AnnualRevenue Field[Decimal] `json:"annual_revenue,omitzero"`
	// The business's currency when not given.
	Currency        Field[string]       `json:"currency,omitzero"`
	Address         Field[AddressInput] `json:"address,omitzero"`
	ParentCompanyID Field[CompanyID]    `json:"parent_company_id,omitzero"`
	// The default stage when not given. What it points to cannot be deleted meanwhile.
	LifecycleStageID Field[LifecycleStageID] `json:"lifecycle_stage_id,omitzero"`
	Description      Field[string]           `json:"description,omitzero"`
	LinkedInURL      Field[string]           `json:"linkedin_url,omitzero"`
	// Moved forward by logged activities.
	LastContactedAt Field[time.Time] `json:"last_contacted_at,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// CompanyMergeInput is what Merge of a company takes.
type CompanyMergeInput struct {
	// Required. The company that becomes part of this one.
	OtherID CompanyID `json:"other_id,omitzero"`
	// The fields of which the other's value is kept: {"job_title": "other"}.
	Prefer map[string]any `json:"prefer,omitzero"`
}

// CompanyUnmergeInput is what Unmerge of a company takes.
type CompanyUnmergeInput struct {
	// Required. The company that was merged into this one.
	OtherID CompanyID `json:"other_id,omitzero"`
}

// DealInput is what can be said of a deal. What is not said of a new one is left to the server, and of one that is there it stays.
type DealInput struct {
	// Required.
	Name Field[string] `json:"name,omitzero"`
	// That of the stage, or the default pipeline, when not given. What it points to cannot be deleted meanwhile.
	PipelineID Field[PipelineID] `json:"pipeline_id,omitzero"`
	// The pipeline's first open stage when not given.
	StageID Field[StageID] `json:"stage_id,omitzero"`
	// The sum of the line items when those are given and it is not.
	Amount Field[Decimal] `json:"amount,omitzero"`
	// The business's currency when not given.
	Currency Field[string] `json:"currency,omitzero"`
	// The stage's when not given; set anew when the stage changes.
	Probability       Field[Decimal] `json:"probability,omitzero"`
	ExpectedCloseDate Field[Date]    `json:"expected_close_date,omitzero"`
	// Which of the usual reasons it was lost for. What it points to cannot be deleted meanwhile.
	LossReasonID Field[LossReasonID] `json:"loss_reason_id,omitzero"`
	// In words of one's own, why it was lost.
	LostReason  Field[string]     `json:"lost_reason,omitzero"`
	CompanyID   Field[CompanyID]  `json:"company_id,omitzero"`
	ContactID   Field[ContactID]  `json:"contact_id,omitzero"`
	LineItems   Field[[]LineItem] `json:"line_items,omitzero"`
	NextStep    Field[string]     `json:"next_step,omitzero"`
	Description Field[string]     `json:"description,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// DealChangeStageInput is what ChangeStage of a deal takes.
type DealChangeStageInput struct {
	// Required.
	StageID StageID `json:"stage_id,omitzero"`
}

// DealLoseInput is what Lose of a deal takes.
type DealLoseInput struct {
	LossReasonID LossReasonID `json:"loss_reason_id,omitzero"`
	LostReason   string       `json:"lost_reason,omitzero"`
}

// TaskInput is what can be said of a task. What is not said of a new one is left to the server, and of one that is there it stays.
type TaskInput struct {
	// Required.
	Title       Field[string] `json:"title,omitzero"`
	Description Field[string] `json:"description,omitzero"`
	// Free text, such as call, email or follow_up.
	TaskType Field[string] `json:"task_type,omitzero"`
	// open when not given.
	Status Field[TaskStatus] `json:"status,omitzero"`
	// normal when not given.
	Priority Field[TaskPriority] `json:"priority,omitzero"`
	DueAt    Field[time.Time]    `json:"due_at,omitzero"`
	// The owner when not given.
	AssigneeID Field[UserID]    `json:"assignee_id,omitzero"`
	ContactID  Field[ContactID] `json:"contact_id,omitzero"`
	CompanyID  Field[CompanyID] `json:"company_id,omitzero"`
	DealID     Field[DealID]    `json:"deal_id,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// NoteInput is what can be said of a note. What is not said of a new one is left to the server, and of one that is there it stays.
type NoteInput struct {
	Title Field[string] `json:"title,omitzero"`
	Body  Field[string] `json:"body,omitzero"`
	// false when not given.
	Pinned    Field[bool]      `json:"pinned,omitzero"`
	ContactID Field[ContactID] `json:"contact_id,omitzero"`
	CompanyID Field[CompanyID] `json:"company_id,omitzero"`
	DealID    Field[DealID]    `json:"deal_id,omitzero"`
	// The note that this one is a comment on.
	InReplyToID Field[NoteID] `json:"in_reply_to_id,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// ActivityInput is what can be said of an activity. What is not said of a new one is left to the server, and of one that is there it stays.
type ActivityInput struct {
	// Required.
	ActivityType Field[ActivityType]      `json:"activity_type,omitzero"`
	Subject      Field[string]            `json:"subject,omitzero"`
	Body         Field[string]            `json:"body,omitzero"`
	Direction    Field[ActivityDirection] `json:"direction,omitzero"`
	Outcome      Field[string]            `json:"outcome,omitzero"`
	// Now when not given.
	OccurredAt      Field[time.Time] `json:"occurred_at,omitzero"`
	DurationSeconds Field[int64]     `json:"duration_seconds,omitzero"`
	Location        Field[string]    `json:"location,omitzero"`
	ContactID       Field[ContactID] `json:"contact_id,omitzero"`
	CompanyID       Field[CompanyID] `json:"company_id,omitzero"`
	DealID          Field[DealID]    `json:"deal_id,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// ProductInput is what can be said of a product. What is not said of a new one is left to the server, and of one that is there it stays.
type ProductInput struct {
	// Required.
	Name Field[string] `json:"name,omitzero"`
	// Unique among live records, without regard to case.
	SKU         Field[string] `json:"sku,omitzero"`
	Description Field[string] `json:"description,omitzero"`
	// active when not given.
	Status Field[ProductStatus] `json:"status,omitzero"`
	Price  Field[Decimal]       `json:"price,omitzero"`
	Cost   Field[Decimal]       `json:"cost,omitzero"`
	// The business's currency when not given.
	Currency Field[string]  `json:"currency,omitzero"`
	TaxRate  Field[Decimal] `json:"tax_rate,omitzero"`
	Unit     Field[string]  `json:"unit,omitzero"`
	Category Field[string]  `json:"category,omitzero"`
	// one_time when not given.
	BillingFrequency Field[ProductBillingFrequency] `json:"billing_frequency,omitzero"`
	ImageURL         Field[string]                  `json:"image_url,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// QuoteInput is what can be said of a quote. What is not said of a new one is left to the server, and of one that is there it stays.
type QuoteInput struct {
	Title     Field[string]    `json:"title,omitzero"`
	DealID    Field[DealID]    `json:"deal_id,omitzero"`
	CompanyID Field[CompanyID] `json:"company_id,omitzero"`
	ContactID Field[ContactID] `json:"contact_id,omitzero"`
	// That of the deal, the first line or the business when not given.
	Currency  Field[string]     `json:"currency,omitzero"`
	LineItems Field[[]LineItem] `json:"line_items,omitzero"`
	// The last valid day, UTC.
	ValidUntil Field[Date]   `json:"valid_until,omitzero"`
	Terms      Field[string] `json:"terms,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// QuoteDeclineInput is what Decline of a quote takes.
type QuoteDeclineInput struct {
	DeclinedReason string `json:"declined_reason,omitzero"`
}

// AssociationInput is what can be said of an association. What is not said of a new one is left to the server, and of one that is there it stays.
type AssociationInput struct {
	// Required.
	FromID Field[string] `json:"from_id,omitzero"`
	// Required.
	ToID Field[string] `json:"to_id,omitzero"`
	// What the one is to the other, such as decision maker.
	Label Field[string] `json:"label,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// PipelineInput is what can be said of a pipeline. What is not said of a new one is left to the server, and of one that is there it stays.
type PipelineInput struct {
	// Required.
	Name Field[string] `json:"name,omitzero"`
	// At the end when not given.
	Position Field[int64] `json:"position,omitzero"`
	// false when not given. One pipeline is the default; setting another one takes it from the first.
	IsDefault Field[bool] `json:"is_default,omitzero"`
	// A won and a lost stage are added where none is given.
	Stages Field[[]Stage] `json:"stages,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// LifecycleStageInput is what can be said of a lifecycle stage. What is not said of a new one is left to the server, and of one that is there it stays.
type LifecycleStageInput struct {
	// Required.
	Name Field[string] `json:"name,omitzero"`
	// At the end when not given.
	Position Field[int64] `json:"position,omitzero"`
	// Green for won, red for lost, and by the place for others when not given.
	Colour Field[LifecycleStageColour] `json:"colour,omitzero"`
	// false when not given. New contacts and companies start in the default stage.
	IsDefault Field[bool] `json:"is_default,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// LossReasonInput is what can be said of a loss reason. What is not said of a new one is left to the server, and of one that is there it stays.
type LossReasonInput struct {
	// Required.
	Name Field[string] `json:"name,omitzero"`
	// At the end when not given.
	Position Field[int64] `json:"position,omitzero"`
	// true when not given. Whether people are to choose from it; deals keep one that is not.
	Active Field[bool] `json:"active,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// UserInput is what can be said of a user. What is not said of a new one is left to the server, and of one that is there it stays.
type UserInput struct {
	// Required. Unique among live records, without regard to case.
	Email Field[string] `json:"email,omitzero"`
	// The e-mail address when not given.
	Name Field[string] `json:"name,omitzero"`
	// invited when not given.
	Status Field[UserStatus] `json:"status,omitzero"`
	// The role member when not given. What it points to cannot be deleted meanwhile.
	RoleID   Field[RoleID] `json:"role_id,omitzero"`
	Timezone Field[string] `json:"timezone,omitzero"`
	// Of the mails to them; that of the business when not given.
	Locale Field[string] `json:"locale,omitzero"`
	// What the user is not told of.
	MutedNotifications Field[[]string] `json:"muted_notifications,omitzero"`
	// What is mailed as soon as it happens, and not with the mail of the next morning.
	NotificationsMailedAtOnce Field[[]string] `json:"notifications_mailed_at_once,omitzero"`
	// What is not mailed.
	NotificationsNotMailed Field[[]string] `json:"notifications_not_mailed,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// RoleInput is what can be said of a role. What is not said of a new one is left to the server, and of one that is there it stays.
type RoleInput struct {
	// Required. Unique among live records, without regard to case and accents.
	Name Field[string] `json:"name,omitzero"`
	// For each resource, how far read, write and delete go: none, own or all. What is not mentioned is none.
	Permissions Field[Permissions] `json:"permissions,omitzero"`
	Features    Field[[]string]    `json:"features,omitzero"`
	// Whether users with this role must log in with an authenticator app or a passkey beside the password. Who has none yet has to set one up at the next log-in, before anything else. False when not given.
	RequiresSecondFactor Field[bool] `json:"requires_second_factor,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// TokenInput is what can be said of a token. What is not said of a new one is left to the server, and of one that is there it stays.
type TokenInput struct {
	// Required.
	Name Field[string] `json:"name,omitzero"`
	// Required.
	Scopes Field[[]string] `json:"scopes,omitzero"`
	// When not given, never, or when the calling token expires itself.
	ExpiresAt Field[time.Time] `json:"expires_at,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// AppInput is what can be said of an app. What is not said of a new one is left to the server, and of one that is there it stays.
type AppInput struct {
	// Required.
	Name Field[string] `json:"name,omitzero"`
	// Needed for authorization_code. https, or http on the own machine, or an app's own scheme.
	RedirectURIs Field[[]string] `json:"redirect_uris,omitzero"`
	// authorization_code and refresh_token with redirect addresses, else client_credentials, when not given.
	GrantTypes Field[[]string] `json:"grant_types,omitzero"`
	// Required. The most that the app can get.
	Scopes Field[[]string] `json:"scopes,omitzero"`
	// Whom the app acts as with client_credentials; the acting user when not given.
	UserID Field[UserID] `json:"user_id,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// ViewInput is what can be said of a view. What is not said of a new one is left to the server, and of one that is there it stays.
type ViewInput struct {
	// Required.
	Name Field[string] `json:"name,omitzero"`
	// Required. What it shows records of.
	Resource Field[ViewResource] `json:"resource,omitzero"`
	// The body of a search of the resource, without cursor.
	Search Field[map[string]any] `json:"search,omitzero"`
	// table when not given.
	Layout Field[ViewLayout] `json:"layout,omitzero"`
	// Fields of the resource, in order; a reference may be followed, as in fields of a search.
	Columns Field[[]string] `json:"columns,omitzero"`
	// A field whose values make the columns of a board, or the days of a calendar.
	GroupBy Field[string] `json:"group_by,omitzero"`
	// At the end when not given.
	Position Field[int64] `json:"position,omitzero"`
	// false when not given. Whether others see it.
	Shared Field[bool] `json:"shared,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// ReportInput is what can be said of a report. What is not said of a new one is left to the server, and of one that is there it stays.
type ReportInput struct {
	// Required.
	Name Field[string] `json:"name,omitzero"`
	// Required. What it counts records of.
	Resource Field[ReportResource] `json:"resource,omitzero"`
	// The body of an aggregate of the resource.
	Aggregate Field[map[string]any] `json:"aggregate,omitzero"`
	// bar when not given.
	Chart Field[ReportChart] `json:"chart,omitzero"`
	// At the end when not given.
	Position Field[int64] `json:"position,omitzero"`
	// false when not given. Whether others see it.
	Shared Field[bool] `json:"shared,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// FollowInput is what can be said of a follow. What is not said of a new one is left to the server, and of one that is there it stays.
type FollowInput struct {
	// Required. What one is told of.
	AboutID Field[string] `json:"about_id,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// NotificationInput is what can be said of a notification. What is not said of a new one is left to the server, and of one that is there it stays.
type NotificationInput struct {
	// What it is about; absent where that is no record.
	AboutID Field[string] `json:"about_id,omitzero"`
	// What a reminder says, or what the record does not tell.
	Text   Field[string]    `json:"text,omitzero"`
	ReadAt Field[time.Time] `json:"read_at,omitzero"`
	// When it is to be seen again. It is unread from then on.
	SnoozedUntil Field[time.Time] `json:"snoozed_until,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// CustomFieldInput is what can be said of a field. What is not said of a new one is left to the server, and of one that is there it stays.
type CustomFieldInput struct {
	// Required. Whose records have it.
	Resource Field[CustomFieldResource] `json:"resource,omitzero"`
	// Required. What it is called in custom_fields: small letters, digits and _. That of a reference ends in _id. It can be changed; values stay.
	Name Field[string] `json:"name,omitzero"`
	// What people call it; the name in words when not given.
	Label Field[string] `json:"label,omitzero"`
	// Required. What it holds.
	Kind Field[CustomFieldKind] `json:"kind,omitzero"`
	// For a reference: the resource that it leads to.
	Target Field[CustomFieldTarget] `json:"target,omitzero"`
	// For select and multi_select: the values that can be chosen, in order.
	Options Field[[]CustomOption] `json:"options,omitzero"`
	// Sent with options that lack some which are in use: what records get instead, such as {"old":"new"}; null empties. It is not kept, and answered empty.
	ReplaceWith Field[map[string]any] `json:"replace_with,omitzero"`
	// false when not given. Whether new records must have it. Records that are there can be changed without it, but not emptied of it.
	Required Field[bool] `json:"required,omitzero"`
	// false when not given. Whether filters and orders by it find records in an index; for any kind but long_text. 20 fields of a resource can be.
	Indexed Field[bool] `json:"indexed,omitzero"`
	// false when not given. Whether a value can be held by one record only, compared as eq compares. Such a field is indexed, too, and has no default; 5 of a resource can be.
	Unique Field[bool] `json:"unique,omitzero"`
	// false when not given. Whether search_text finds it; for texts of all kinds.
	Searchable Field[bool] `json:"searchable,omitzero"`
	// The value of a record that is made without one; of any kind but reference.
	Default Field[any] `json:"default,omitzero"`
	// A sentence for those who fill it in.
	Help Field[string] `json:"help,omitzero"`
	// At the end when not given.
	Position Field[int64] `json:"position,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// WebhookInput is what can be said of a webhook. What is not said of a new one is left to the server, and of one that is there it stays.
type WebhookInput struct {
	// The host of the address when not given.
	Name Field[string] `json:"name,omitzero"`
	// Required. Where events are sent to, by POST: https, in no private network.
	URL Field[string] `json:"url,omitzero"`
	// Required. What it is told of: deal.won, deal.* or *. See [events](#webhooks).
	Events Field[[]string] `json:"events,omitzero"`
	// For some resources, filters as in a search: only events of records that they find, as these were after the change.
	Filters Field[map[string]any] `json:"filters,omitzero"`
	// active when not given. One that is enabled again goes on where it stopped.
	Status Field[WebhookStatus] `json:"status,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID Field[UserID] `json:"owner_id,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   Field[string]         `json:"external_id,omitzero"`
	Tags         Field[[]string]       `json:"tags,omitzero"`
	CustomFields Field[map[string]any] `json:"custom_fields,omitzero"`
}

// WebhookReplayInput is what Replay of a webhook takes.
type WebhookReplayInput struct {
	// Required. The first seq.
	FromSeq int64 `json:"from_seq,omitzero"`
	// Required. The last seq.
	ToSeq int64 `json:"to_seq,omitzero"`
}

// BusinessInput is what can be said of a business. What is not said of a new one is left to the server, and of one that is there it stays.
type BusinessInput struct {
	// Required.
	Name Field[string] `json:"name,omitzero"`
	// Required. Where a deal, product or quote names no other. A change counts for what is made from then on.
	Currency Field[string] `json:"currency,omitzero"`
	// Such as Europe/Berlin; UTC when not given.
	Timezone Field[string] `json:"timezone,omitzero"`
	Locale   Field[string] `json:"locale,omitzero"`
	// As it stands on quotes, in lines.
	Address Field[string] `json:"address,omitzero"`
	// As it stands on quotes.
	TaxID Field[string] `json:"tax_id,omitzero"`
	// Stand on every quote, behind its own terms.
	QuoteTerms Field[string] `json:"quote_terms,omitzero"`
	// Stands at the end of every page of a quote; up to four lines of it.
	QuoteFooter Field[string] `json:"quote_footer,omitzero"`
	// Stands on quotes. A PNG or JPEG as a data: address in base64, of at most 600 KB and 4 million points; it is drawn anew as a PNG that fits 900 by 330 points. Kept apart: what is answered is a mark that changes with it, and GET /v1/business/logo gives the picture.
	Logo Field[string] `json:"logo,omitzero"`
	// After so many days deleted records are removed for good; never when not given.
	BinDays Field[int64] `json:"bin_days,omitzero"`
	// The address (issuer) of the OpenID Connect provider by which people log in to this business. To remove it removes the other login_ fields, too. Whoever sets any of them must have every right that a role of the business gives.
	LoginIssuer Field[string] `json:"login_issuer,omitzero"`
	// What the provider knows kith by.
	LoginClientID Field[string] `json:"login_client_id,omitzero"`
	// Kept apart and never answered: what is answered tells since when it is set.
	LoginClientSecret Field[string] `json:"login_client_secret,omitzero"`
	// Only e-mail addresses at these log in by the provider; 1 to 50.
	LoginDomains Field[[]string] `json:"login_domains,omitzero"`
	// Who has no user yet is made one with this role. Only users that are there can log in when not given.
	LoginRoleID Field[RoleID] `json:"login_role_id,omitzero"`
	// Whether people log in by the provider only. Those whose role has the feature permission manage_settings can log in by other means as well.
	LoginRequired Field[bool] `json:"login_required,omitzero"`
	// Whether an e-mail address counts that the provider sends without email_verified, as Microsoft Entra ID does. Only for a provider where nobody but the company decides which address somebody has. One that it calls unverified never counts.
	LoginTrusted Field[bool] `json:"login_trusted,omitzero"`
}
