// Code generated from the declarations by cmd/docs; DO NOT EDIT.

package client

import "time"

// ContactID is the id of a contact.
type ContactID string

// Contact is a contact as the server answers it.
type Contact struct {
	ID        ContactID `json:"id,omitzero"`
	FirstName string    `json:"first_name,omitzero"`
	LastName  string    `json:"last_name,omitzero"`
	// First and last name, or else the e-mail address or phone number, when not given.
	Name        string    `json:"name,omitzero"`
	Email       string    `json:"email,omitzero"`
	Phone       string    `json:"phone,omitzero"`
	MobilePhone string    `json:"mobile_phone,omitzero"`
	JobTitle    string    `json:"job_title,omitzero"`
	CompanyID   CompanyID `json:"company_id,omitzero"`
	// Company has what Query.Fields asks for of it.
	Company   *Company `json:"company,omitzero"`
	LeadScore *float64 `json:"lead_score,omitzero"`
	// The default stage when not given. What it points to cannot be deleted meanwhile.
	LifecycleStageID LifecycleStageID `json:"lifecycle_stage_id,omitzero"`
	// LifecycleStage has what Query.Fields asks for of it.
	LifecycleStage *LifecycleStage `json:"lifecycle_stage,omitzero"`
	LeadSource     string          `json:"lead_source,omitzero"`
	Address        Address         `json:"address,omitzero"`
	LinkedInURL    string          `json:"linkedin_url,omitzero"`
	Timezone       string          `json:"timezone,omitzero"`
	DoNotContact   bool            `json:"do_not_contact,omitzero"`
	// Moved forward by logged activities.
	LastContactedAt time.Time `json:"last_contacted_at,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// The record into which it was merged. Only in the bin.
	MergedIntoID ContactID `json:"merged_into_id,omitzero"`
	// MergedInto has what Query.Fields asks for of it.
	MergedInto *Contact `json:"merged_into,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// Address is the address of a record.
type Address struct {
	Street     string `json:"street,omitzero"`
	City       string `json:"city,omitzero"`
	Region     string `json:"region,omitzero"`
	PostalCode string `json:"postal_code,omitzero"`
	Country    string `json:"country,omitzero"`
}

// CompanyID is the id of a company.
type CompanyID string

// Company is a company as the server answers it.
type Company struct {
	ID        CompanyID `json:"id,omitzero"`
	Name      string    `json:"name,omitzero"`
	LegalName string    `json:"legal_name,omitzero"`
	Domain    string    `json:"domain,omitzero"`
	Website   string    `json:"website,omitzero"`
	Email     string    `json:"email,omitzero"`
	Phone     string    `json:"phone,omitzero"`
	Industry  string    `json:"industry,omitzero"`
	// Free text, such as customer, partner or supplier.
	CompanyType   string  `json:"company_type,omitzero"`
	EmployeeCount *int64  `json:"employee_count,omitzero"`
	AnnualRevenue Decimal `json:"annual_revenue,omitzero"`
	// The business's currency when not given.
	Currency        string    `json:"currency,omitzero"`
	Address         Address   `json:"address,omitzero"`
	ParentCompanyID CompanyID `json:"parent_company_id,omitzero"`
	// ParentCompany has what Query.Fields asks for of it.
	ParentCompany *Company `json:"parent_company,omitzero"`
	// The default stage when not given. What it points to cannot be deleted meanwhile.
	LifecycleStageID LifecycleStageID `json:"lifecycle_stage_id,omitzero"`
	// LifecycleStage has what Query.Fields asks for of it.
	LifecycleStage *LifecycleStage `json:"lifecycle_stage,omitzero"`
	Description    string          `json:"description,omitzero"`
	LinkedInURL    string          `json:"linkedin_url,omitzero"`
	// Moved forward by logged activities.
	LastContactedAt time.Time `json:"last_contacted_at,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// The record into which it was merged. Only in the bin.
	MergedIntoID CompanyID `json:"merged_into_id,omitzero"`
	// MergedInto has what Query.Fields asks for of it.
	MergedInto *Company `json:"merged_into,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// DealID is the id of a deal.
type DealID string

// Deal is a deal as the server answers it.
type Deal struct {
	ID   DealID `json:"id,omitzero"`
	Name string `json:"name,omitzero"`
	// That of the stage, or the default pipeline, when not given. What it points to cannot be deleted meanwhile.
	PipelineID PipelineID `json:"pipeline_id,omitzero"`
	// Pipeline has what Query.Fields asks for of it.
	Pipeline *Pipeline `json:"pipeline,omitzero"`
	// The pipeline's first open stage when not given.
	StageID StageID `json:"stage_id,omitzero"`
	// Stage has what Query.Fields asks for of it.
	Stage *Stage `json:"stage,omitzero"`
	// Follows from the stage.
	Status DealStatus `json:"status,omitzero"`
	// The sum of the line items when those are given and it is not.
	Amount Decimal `json:"amount,omitzero"`
	// The business's currency when not given.
	Currency string `json:"currency,omitzero"`
	// The stage's when not given; set anew when the stage changes.
	Probability Decimal `json:"probability,omitzero"`
	// Amount × probability, rounded half away from zero to four places.
	WeightedAmount    Decimal   `json:"weighted_amount,omitzero"`
	ExpectedCloseDate Date      `json:"expected_close_date,omitzero"`
	ClosedAt          time.Time `json:"closed_at,omitzero"`
	// Which of the usual reasons it was lost for. What it points to cannot be deleted meanwhile.
	LossReasonID LossReasonID `json:"loss_reason_id,omitzero"`
	// LossReason has what Query.Fields asks for of it.
	LossReason *LossReason `json:"loss_reason,omitzero"`
	// In words of one's own, why it was lost.
	LostReason string    `json:"lost_reason,omitzero"`
	CompanyID  CompanyID `json:"company_id,omitzero"`
	// Company has what Query.Fields asks for of it.
	Company   *Company  `json:"company,omitzero"`
	ContactID ContactID `json:"contact_id,omitzero"`
	// Contact has what Query.Fields asks for of it.
	Contact        *Contact   `json:"contact,omitzero"`
	LineItems      []LineItem `json:"line_items,omitzero"`
	NextStep       string     `json:"next_step,omitzero"`
	StageChangedAt time.Time  `json:"stage_changed_at,omitzero"`
	// The stages that it was in before, the last 50, in their order.
	PastStages  []PastStage `json:"past_stages,omitzero"`
	Description string      `json:"description,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// DealStatus is a choice.
type DealStatus string

// The choices of DealStatus.
const (
	DealStatusOpen DealStatus = "open"
	DealStatusWon  DealStatus = "won"
	DealStatusLost DealStatus = "lost"
)

// LineItem is one of the line items of a record.
type LineItem struct {
	ProductID   ProductID `json:"product_id,omitzero"`
	Name        string    `json:"name,omitzero"`
	SKU         string    `json:"sku,omitzero"`
	Description string    `json:"description,omitzero"`
	UnitPrice   Decimal   `json:"unit_price,omitzero"`
	Currency    string    `json:"currency,omitzero"`
	// 1 when not given.
	Quantity Decimal `json:"quantity,omitzero"`
	// 0 when not given.
	DiscountPercent Decimal `json:"discount_percent,omitzero"`
	// The product's, or 0, when not given.
	TaxRate Decimal `json:"tax_rate,omitzero"`
	// Computed; what is sent is not used.
	Total Decimal `json:"total,omitzero"`
}

// PastStage is one of the past stages of a record.
type PastStage struct {
	StageID   StageID   `json:"stage_id,omitzero"`
	EnteredAt time.Time `json:"entered_at,omitzero"`
	LeftAt    time.Time `json:"left_at,omitzero"`
}

// TaskID is the id of a task.
type TaskID string

// Task is a task as the server answers it.
type Task struct {
	ID          TaskID `json:"id,omitzero"`
	Title       string `json:"title,omitzero"`
	Description string `json:"description,omitzero"`
	// Free text, such as call, email or follow_up.
	TaskType    string       `json:"task_type,omitzero"`
	Status      TaskStatus   `json:"status,omitzero"`
	Priority    TaskPriority `json:"priority,omitzero"`
	DueAt       time.Time    `json:"due_at,omitzero"`
	CompletedAt time.Time    `json:"completed_at,omitzero"`
	CompletedBy UserID       `json:"completed_by,omitzero"`
	// The owner when not given.
	AssigneeID UserID `json:"assignee_id,omitzero"`
	// Assignee has what Query.Fields asks for of it.
	Assignee  *User     `json:"assignee,omitzero"`
	ContactID ContactID `json:"contact_id,omitzero"`
	// Contact has what Query.Fields asks for of it.
	Contact   *Contact  `json:"contact,omitzero"`
	CompanyID CompanyID `json:"company_id,omitzero"`
	// Company has what Query.Fields asks for of it.
	Company *Company `json:"company,omitzero"`
	DealID  DealID   `json:"deal_id,omitzero"`
	// Deal has what Query.Fields asks for of it.
	Deal *Deal `json:"deal,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// TaskStatus is a choice.
type TaskStatus string

// The choices of TaskStatus.
const (
	TaskStatusOpen       TaskStatus = "open"
	TaskStatusInProgress TaskStatus = "in_progress"
	TaskStatusCompleted  TaskStatus = "completed"
	TaskStatusCancelled  TaskStatus = "cancelled"
)

// TaskPriority is a choice.
type TaskPriority string

// The choices of TaskPriority.
const (
	TaskPriorityLow    TaskPriority = "low"
	TaskPriorityNormal TaskPriority = "normal"
	TaskPriorityHigh   TaskPriority = "high"
	TaskPriorityUrgent TaskPriority = "urgent"
)

// NoteID is the id of a note.
type NoteID string

// Note is a note as the server answers it.
type Note struct {
	ID        NoteID    `json:"id,omitzero"`
	Title     string    `json:"title,omitzero"`
	Body      string    `json:"body,omitzero"`
	Pinned    bool      `json:"pinned,omitzero"`
	PinnedAt  time.Time `json:"pinned_at,omitzero"`
	PinnedBy  UserID    `json:"pinned_by,omitzero"`
	ContactID ContactID `json:"contact_id,omitzero"`
	// Contact has what Query.Fields asks for of it.
	Contact   *Contact  `json:"contact,omitzero"`
	CompanyID CompanyID `json:"company_id,omitzero"`
	// Company has what Query.Fields asks for of it.
	Company *Company `json:"company,omitzero"`
	DealID  DealID   `json:"deal_id,omitzero"`
	// Deal has what Query.Fields asks for of it.
	Deal *Deal `json:"deal,omitzero"`
	// The note that this one is a comment on.
	InReplyToID NoteID `json:"in_reply_to_id,omitzero"`
	// InReplyTo has what Query.Fields asks for of it.
	InReplyTo *Note `json:"in_reply_to,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// ActivityID is the id of an activity.
type ActivityID string

// Activity is an activity as the server answers it.
type Activity struct {
	ID           ActivityID        `json:"id,omitzero"`
	ActivityType ActivityType      `json:"activity_type,omitzero"`
	Subject      string            `json:"subject,omitzero"`
	Body         string            `json:"body,omitzero"`
	Direction    ActivityDirection `json:"direction,omitzero"`
	Outcome      string            `json:"outcome,omitzero"`
	// Now when not given.
	OccurredAt      time.Time `json:"occurred_at,omitzero"`
	DurationSeconds *int64    `json:"duration_seconds,omitzero"`
	Location        string    `json:"location,omitzero"`
	ContactID       ContactID `json:"contact_id,omitzero"`
	// Contact has what Query.Fields asks for of it.
	Contact   *Contact  `json:"contact,omitzero"`
	CompanyID CompanyID `json:"company_id,omitzero"`
	// Company has what Query.Fields asks for of it.
	Company *Company `json:"company,omitzero"`
	DealID  DealID   `json:"deal_id,omitzero"`
	// Deal has what Query.Fields asks for of it.
	Deal *Deal `json:"deal,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// ActivityType is a choice.
type ActivityType string

// The choices of ActivityType.
const (
	ActivityTypeCall    ActivityType = "call"
	ActivityTypeEmail   ActivityType = "email"
	ActivityTypeMeeting ActivityType = "meeting"
	ActivityTypeMessage ActivityType = "message"
	ActivityTypeOther   ActivityType = "other"
)

// ActivityDirection is a choice.
type ActivityDirection string

// The choices of ActivityDirection.
const (
	ActivityDirectionInbound  ActivityDirection = "inbound"
	ActivityDirectionOutbound ActivityDirection = "outbound"
)

// ProductID is the id of a product.
type ProductID string

// Product is a product as the server answers it.
type Product struct {
	ID   ProductID `json:"id,omitzero"`
	Name string    `json:"name,omitzero"`
	// Unique among live records, without regard to case.
	SKU         string        `json:"sku,omitzero"`
	Description string        `json:"description,omitzero"`
	Status      ProductStatus `json:"status,omitzero"`
	Price       Decimal       `json:"price,omitzero"`
	Cost        Decimal       `json:"cost,omitzero"`
	// The business's currency when not given.
	Currency         string                  `json:"currency,omitzero"`
	TaxRate          Decimal                 `json:"tax_rate,omitzero"`
	Unit             string                  `json:"unit,omitzero"`
	Category         string                  `json:"category,omitzero"`
	BillingFrequency ProductBillingFrequency `json:"billing_frequency,omitzero"`
	ImageURL         string                  `json:"image_url,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// ProductStatus is a choice.
type ProductStatus string

// The choices of ProductStatus.
const (
	ProductStatusDraft    ProductStatus = "draft"
	ProductStatusActive   ProductStatus = "active"
	ProductStatusArchived ProductStatus = "archived"
)

// ProductBillingFrequency is a choice.
type ProductBillingFrequency string

// The choices of ProductBillingFrequency.
const (
	ProductBillingFrequencyOneTime ProductBillingFrequency = "one_time"
	ProductBillingFrequencyMonthly ProductBillingFrequency = "monthly"
	ProductBillingFrequencyYearly  ProductBillingFrequency = "yearly"
)

// QuoteID is the id of a quote.
type QuoteID string

// Quote is a quote as the server answers it.
type Quote struct {
	ID QuoteID `json:"id,omitzero"`
	// Counts up from 1 in each business.
	Number int64  `json:"number,omitzero"`
	Title  string `json:"title,omitzero"`
	// sent becomes expired when the day in valid_until is over.
	Status QuoteStatus `json:"status,omitzero"`
	DealID DealID      `json:"deal_id,omitzero"`
	// Deal has what Query.Fields asks for of it.
	Deal      *Deal     `json:"deal,omitzero"`
	CompanyID CompanyID `json:"company_id,omitzero"`
	// Company has what Query.Fields asks for of it.
	Company   *Company  `json:"company,omitzero"`
	ContactID ContactID `json:"contact_id,omitzero"`
	// Contact has what Query.Fields asks for of it.
	Contact *Contact `json:"contact,omitzero"`
	// That of the deal, the first line or the business when not given.
	Currency      string     `json:"currency,omitzero"`
	LineItems     []LineItem `json:"line_items,omitzero"`
	Subtotal      Decimal    `json:"subtotal,omitzero"`
	DiscountTotal Decimal    `json:"discount_total,omitzero"`
	TaxTotal      Decimal    `json:"tax_total,omitzero"`
	Total         Decimal    `json:"total,omitzero"`
	// The last valid day, UTC.
	ValidUntil     Date      `json:"valid_until,omitzero"`
	Terms          string    `json:"terms,omitzero"`
	SentAt         time.Time `json:"sent_at,omitzero"`
	AcceptedAt     time.Time `json:"accepted_at,omitzero"`
	DeclinedAt     time.Time `json:"declined_at,omitzero"`
	DeclinedReason string    `json:"declined_reason,omitzero"`
	// Since when the customer has a link; absent where there is none.
	SharedAt time.Time `json:"shared_at,omitzero"`
	// The name that the customer gave who accepted by the link.
	AcceptedBy string `json:"accepted_by,omitzero"`
	// The network address from which the customer answered by the link.
	AnsweredFrom string `json:"answered_from,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// QuoteStatus is a choice.
type QuoteStatus string

// The choices of QuoteStatus.
const (
	QuoteStatusDraft    QuoteStatus = "draft"
	QuoteStatusSent     QuoteStatus = "sent"
	QuoteStatusAccepted QuoteStatus = "accepted"
	QuoteStatusDeclined QuoteStatus = "declined"
	QuoteStatusExpired  QuoteStatus = "expired"
)

// AssociationID is the id of an association.
type AssociationID string

// Association is an association as the server answers it.
type Association struct {
	ID     AssociationID `json:"id,omitzero"`
	FromID string        `json:"from_id,omitzero"`
	ToID   string        `json:"to_id,omitzero"`
	// What the one is to the other, such as decision maker.
	Label string `json:"label,omitzero"`
	// The record with which it went to the bin, and with which it comes back.
	DeletedWith string `json:"deleted_with,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// PipelineID is the id of a pipeline.
type PipelineID string

// Pipeline is a pipeline as the server answers it.
type Pipeline struct {
	ID   PipelineID `json:"id,omitzero"`
	Name string     `json:"name,omitzero"`
	// At the end when not given.
	Position int64 `json:"position,omitzero"`
	// One pipeline is the default; setting another one takes it from the first.
	IsDefault bool `json:"is_default,omitzero"`
	// A won and a lost stage are added where none is given.
	Stages []Stage `json:"stages,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// StageID is the id of a stage.
type StageID string

// Stage is one of the stages of a record.
type Stage struct {
	// Give it to keep a stage; a new stage gets one.
	ID   StageID `json:"id,omitzero"`
	Name string  `json:"name,omitzero"`
	// Follows from the place in the list.
	Position *int64 `json:"position,omitzero"`
	// open when not given.
	Kind StageKind `json:"kind,omitzero"`
	// 100 for won, 0 for lost, 50 for open when not given.
	Probability Decimal `json:"probability,omitzero"`
	// Green for won, red for lost, and by the place for others when not given.
	Colour StageColour `json:"colour,omitzero"`
}

// StageKind is a choice.
type StageKind string

// The choices of StageKind.
const (
	StageKindOpen StageKind = "open"
	StageKindWon  StageKind = "won"
	StageKindLost StageKind = "lost"
)

// StageColour is a choice.
type StageColour string

// The choices of StageColour.
const (
	StageColourGray   StageColour = "gray"
	StageColourRed    StageColour = "red"
	StageColourOrange StageColour = "orange"
	StageColourYellow StageColour = "yellow"
	StageColourGreen  StageColour = "green"
	StageColourTeal   StageColour = "teal"
	StageColourBlue   StageColour = "blue"
	StageColourPurple StageColour = "purple"
)

// LifecycleStageID is the id of a lifecycle stage.
type LifecycleStageID string

// LifecycleStage is a lifecycle stage as the server answers it.
type LifecycleStage struct {
	ID   LifecycleStageID `json:"id,omitzero"`
	Name string           `json:"name,omitzero"`
	// At the end when not given.
	Position int64 `json:"position,omitzero"`
	// Green for won, red for lost, and by the place for others when not given.
	Colour LifecycleStageColour `json:"colour,omitzero"`
	// New contacts and companies start in the default stage.
	IsDefault bool `json:"is_default,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// LifecycleStageColour is a choice.
type LifecycleStageColour string

// The choices of LifecycleStageColour.
const (
	LifecycleStageColourGray   LifecycleStageColour = "gray"
	LifecycleStageColourRed    LifecycleStageColour = "red"
	LifecycleStageColourOrange LifecycleStageColour = "orange"
	LifecycleStageColourYellow LifecycleStageColour = "yellow"
	LifecycleStageColourGreen  LifecycleStageColour = "green"
	LifecycleStageColourTeal   LifecycleStageColour = "teal"
	LifecycleStageColourBlue   LifecycleStageColour = "blue"
	LifecycleStageColourPurple LifecycleStageColour = "purple"
)

// LossReasonID is the id of a loss reason.
type LossReasonID string

// LossReason is a loss reason as the server answers it.
type LossReason struct {
	ID   LossReasonID `json:"id,omitzero"`
	Name string       `json:"name,omitzero"`
	// At the end when not given.
	Position int64 `json:"position,omitzero"`
	// Whether people are to choose from it; deals keep one that is not.
	Active bool `json:"active,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// UserID is the id of a user.
type UserID string

// User is a user as the server answers it.
type User struct {
	ID UserID `json:"id,omitzero"`
	// Unique among live records, without regard to case.
	Email string `json:"email,omitzero"`
	// The address that takes the place of email once the user has confirmed it.
	PendingEmail string `json:"pending_email,omitzero"`
	// The e-mail address when not given.
	Name   string     `json:"name,omitzero"`
	Status UserStatus `json:"status,omitzero"`
	// The role member when not given. What it points to cannot be deleted meanwhile.
	RoleID RoleID `json:"role_id,omitzero"`
	// Role has what Query.Fields asks for of it.
	Role     *Role  `json:"role,omitzero"`
	Timezone string `json:"timezone,omitzero"`
	// Of the mails to them; that of the business when not given.
	Locale       string    `json:"locale,omitzero"`
	LastActiveAt time.Time `json:"last_active_at,omitzero"`
	// Since when the user logs in with an authenticator app or a passkey beside the password. Absent where they do not.
	SecondFactorAt time.Time `json:"second_factor_at,omitzero"`
	// What the user is not told of.
	MutedNotifications []string `json:"muted_notifications,omitzero"`
	// What is mailed as soon as it happens, and not with the mail of the next morning.
	NotificationsMailedAtOnce []string `json:"notifications_mailed_at_once,omitzero"`
	// What is not mailed.
	NotificationsNotMailed []string `json:"notifications_not_mailed,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// UserStatus is a choice.
type UserStatus string

// The choices of UserStatus.
const (
	UserStatusInvited   UserStatus = "invited"
	UserStatusActive    UserStatus = "active"
	UserStatusSuspended UserStatus = "suspended"
)

// RoleID is the id of a role.
type RoleID string

// Role is a role as the server answers it.
type Role struct {
	ID RoleID `json:"id,omitzero"`
	// Unique among live records, without regard to case and accents.
	Name string `json:"name,omitzero"`
	// For each resource, how far read, write and delete go: none, own or all. What is not mentioned is none.
	Permissions Permissions `json:"permissions,omitzero"`
	Features    []string    `json:"features,omitzero"`
	// Whether users with this role must log in with an authenticator app or a passkey beside the password. Who has none yet has to set one up at the next log-in, before anything else. False when not given.
	RequiresSecondFactor *bool `json:"requires_second_factor,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// TokenID is the id of a token.
type TokenID string

// Token is a token as the server answers it.
type Token struct {
	ID     TokenID  `json:"id,omitzero"`
	Name   string   `json:"name,omitzero"`
	Scopes []string `json:"scopes,omitzero"`
	Hint   string   `json:"hint,omitzero"`
	UserID UserID   `json:"user_id,omitzero"`
	// User has what Query.Fields asks for of it.
	User *User `json:"user,omitzero"`
	// When not given, never, or when the calling token expires itself.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	// To the minute.
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
	// Secret is what proves to be the token. It is answered only once, when it is made.
	Secret string `json:"token,omitzero"`
	// Omitted names the secret where the answer came again to a request that was sent again: it cannot be shown a second time.
	Omitted []string `json:"omitted,omitzero"`
}

// AppID is the id of an app.
type AppID string

// App is an app as the server answers it.
type App struct {
	ID       AppID  `json:"id,omitzero"`
	Name     string `json:"name,omitzero"`
	ClientID string `json:"client_id,omitzero"`
	// Needed for authorization_code. https, or http on the own machine, or an app's own scheme.
	RedirectURIs []string `json:"redirect_uris,omitzero"`
	// authorization_code and refresh_token with redirect addresses, else client_credentials, when not given.
	GrantTypes []string `json:"grant_types,omitzero"`
	// The most that the app can get.
	Scopes []string `json:"scopes,omitzero"`
	// Whom the app acts as with client_credentials; the acting user when not given.
	UserID UserID `json:"user_id,omitzero"`
	// User has what Query.Fields asks for of it.
	User *User `json:"user,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
	// Secret is what proves to be the app. It is answered only once, when it is made.
	Secret string `json:"client_secret,omitzero"`
	// Omitted names the secret where the answer came again to a request that was sent again: it cannot be shown a second time.
	Omitted []string `json:"omitted,omitzero"`
}

// ViewID is the id of a view.
type ViewID string

// View is a view as the server answers it.
type View struct {
	ID   ViewID `json:"id,omitzero"`
	Name string `json:"name,omitzero"`
	// What it shows records of.
	Resource ViewResource `json:"resource,omitzero"`
	// The body of a search of the resource, without cursor.
	Search map[string]any `json:"search,omitzero"`
	Layout ViewLayout     `json:"layout,omitzero"`
	// Fields of the resource, in order; a reference may be followed, as in fields of a search.
	Columns []string `json:"columns,omitzero"`
	// A field whose values make the columns of a board, or the days of a calendar.
	GroupBy string `json:"group_by,omitzero"`
	// At the end when not given.
	Position int64 `json:"position,omitzero"`
	// Whether others see it.
	Shared bool `json:"shared,omitzero"`
	// Custom fields that it names and that were deleted: restore them, or leave them out.
	Missing []string `json:"missing,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// ViewResource is a choice.
type ViewResource string

// The choices of ViewResource.
const (
	ViewResourceContact        ViewResource = "contact"
	ViewResourceCompany        ViewResource = "company"
	ViewResourceDeal           ViewResource = "deal"
	ViewResourceTask           ViewResource = "task"
	ViewResourceNote           ViewResource = "note"
	ViewResourceActivity       ViewResource = "activity"
	ViewResourceProduct        ViewResource = "product"
	ViewResourceQuote          ViewResource = "quote"
	ViewResourceAssociation    ViewResource = "association"
	ViewResourcePipeline       ViewResource = "pipeline"
	ViewResourceLifecycleStage ViewResource = "lifecycle_stage"
	ViewResourceLossReason     ViewResource = "loss_reason"
	ViewResourceUser           ViewResource = "user"
	ViewResourceRole           ViewResource = "role"
	ViewResourceToken          ViewResource = "token"
	ViewResourceApp            ViewResource = "app"
	ViewResourceView           ViewResource = "view"
	ViewResourceReport         ViewResource = "report"
	ViewResourceFollow         ViewResource = "follow"
	ViewResourceNotification   ViewResource = "notification"
	ViewResourceField          ViewResource = "field"
	ViewResourceWebhook        ViewResource = "webhook"
)

// ViewLayout is a choice.
type ViewLayout string

// The choices of ViewLayout.
const (
	ViewLayoutTable    ViewLayout = "table"
	ViewLayoutBoard    ViewLayout = "board"
	ViewLayoutCalendar ViewLayout = "calendar"
)

// ReportID is the id of a report.
type ReportID string

// Report is a report as the server answers it.
type Report struct {
	ID   ReportID `json:"id,omitzero"`
	Name string   `json:"name,omitzero"`
	// What it counts records of.
	Resource ReportResource `json:"resource,omitzero"`
	// The body of an aggregate of the resource.
	Aggregate map[string]any `json:"aggregate,omitzero"`
	Chart     ReportChart    `json:"chart,omitzero"`
	// At the end when not given.
	Position int64 `json:"position,omitzero"`
	// Whether others see it.
	Shared bool `json:"shared,omitzero"`
	// Custom fields that it names and that were deleted: restore them, or leave them out.
	Missing []string `json:"missing,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// ReportResource is a choice.
type ReportResource string

// The choices of ReportResource.
const (
	ReportResourceContact        ReportResource = "contact"
	ReportResourceCompany        ReportResource = "company"
	ReportResourceDeal           ReportResource = "deal"
	ReportResourceTask           ReportResource = "task"
	ReportResourceNote           ReportResource = "note"
	ReportResourceActivity       ReportResource = "activity"
	ReportResourceProduct        ReportResource = "product"
	ReportResourceQuote          ReportResource = "quote"
	ReportResourceAssociation    ReportResource = "association"
	ReportResourcePipeline       ReportResource = "pipeline"
	ReportResourceLifecycleStage ReportResource = "lifecycle_stage"
	ReportResourceLossReason     ReportResource = "loss_reason"
	ReportResourceUser           ReportResource = "user"
	ReportResourceRole           ReportResource = "role"
	ReportResourceToken          ReportResource = "token"
	ReportResourceApp            ReportResource = "app"
	ReportResourceView           ReportResource = "view"
	ReportResourceReport         ReportResource = "report"
	ReportResourceFollow         ReportResource = "follow"
	ReportResourceNotification   ReportResource = "notification"
	ReportResourceField          ReportResource = "field"
	ReportResourceWebhook        ReportResource = "webhook"
)

// ReportChart is a choice.
type ReportChart string

// The choices of ReportChart.
const (
	ReportChartBar    ReportChart = "bar"
	ReportChartLine   ReportChart = "line"
	ReportChartNumber ReportChart = "number"
	ReportChartTable  ReportChart = "table"
)

// FollowID is the id of a follow.
type FollowID string

// Follow is a follow as the server answers it.
type Follow struct {
	ID FollowID `json:"id,omitzero"`
	// What one is told of.
	AboutID string `json:"about_id,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// NotificationID is the id of a notification.
type NotificationID string

// Notification is a notification as the server answers it.
type Notification struct {
	ID   NotificationID   `json:"id,omitzero"`
	Kind NotificationKind `json:"kind,omitzero"`
	// What it is about; absent where that is no record.
	AboutID string `json:"about_id,omitzero"`
	// The [job](#jobs) that it is about.
	JobID string `json:"job_id,omitzero"`
	// What happened, as webhooks call it: deal.won. Of a job job. with how it ended: job.failed.
	Event string `json:"event,omitzero"`
	// Who did it.
	ActorID UserID `json:"actor_id,omitzero"`
	// Actor has what Query.Fields asks for of it.
	Actor *User `json:"actor,omitzero"`
	// What a reminder says, or what the record does not tell.
	Text string `json:"text,omitzero"`
	// When it is to be seen: when it happened, or until when it is snoozed.
	At     time.Time `json:"at,omitzero"`
	ReadAt time.Time `json:"read_at,omitzero"`
	// When it is to be seen again. It is unread from then on.
	SnoozedUntil time.Time `json:"snoozed_until,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// NotificationKind is a choice.
type NotificationKind string

// The choices of NotificationKind.
const (
	NotificationKindMention  NotificationKind = "mention"
	NotificationKindAssigned NotificationKind = "assigned"
	NotificationKindReminder NotificationKind = "reminder"
	NotificationKindFollowed NotificationKind = "followed"
	NotificationKindWebhook  NotificationKind = "webhook"
	NotificationKindDue      NotificationKind = "due"
	NotificationKindJob      NotificationKind = "job"
)

// CustomFieldID is the id of a field.
type CustomFieldID string

// CustomField is a field as the server answers it.
type CustomField struct {
	ID CustomFieldID `json:"id,omitzero"`
	// Whose records have it.
	Resource CustomFieldResource `json:"resource,omitzero"`
	// What it is called in custom_fields: small letters, digits and _. That of a reference ends in _id. It can be changed; values stay.
	Name string `json:"name,omitzero"`
	// What people call it; the name in words when not given.
	Label string `json:"label,omitzero"`
	// What it holds.
	Kind CustomFieldKind `json:"kind,omitzero"`
	// For a reference: the resource that it leads to.
	Target CustomFieldTarget `json:"target,omitzero"`
	// For select and multi_select: the values that can be chosen, in order.
	Options []CustomOption `json:"options,omitzero"`
	// Sent with options that lack some which are in use: what records get instead, such as {"old":"new"}; null empties. It is not kept, and answered empty.
	ReplaceWith map[string]any `json:"replace_with,omitzero"`
	// Whether new records must have it. Records that are there can be changed without it, but not emptied of it.
	Required bool `json:"required,omitzero"`
	// Whether filters and orders by it find records in an index; for any kind but long_text. 20 fields of a resource can be.
	Indexed bool `json:"indexed,omitzero"`
	// Whether a value can be held by one record only, compared as eq compares. Such a field is indexed, too, and has no default; 5 of a resource can be.
	Unique bool `json:"unique,omitzero"`
	// Whether the index is used already, or still being filled with the values that are there; null where there is none.
	IndexStatus CustomFieldIndexStatus `json:"index_status,omitzero"`
	// Whether search_text finds it; for texts of all kinds.
	Searchable bool `json:"searchable,omitzero"`
	// The value of a record that is made without one; of any kind but reference.
	Default any `json:"default,omitzero"`
	// A sentence for those who fill it in.
	Help string `json:"help,omitzero"`
	// At the end when not given.
	Position int64 `json:"position,omitzero"`
	// Under which its values are kept, whatever it is called.
	Number *int64 `json:"number,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// CustomFieldResource is a choice.
type CustomFieldResource string

// The choices of CustomFieldResource.
const (
	CustomFieldResourceContact  CustomFieldResource = "contact"
	CustomFieldResourceCompany  CustomFieldResource = "company"
	CustomFieldResourceDeal     CustomFieldResource = "deal"
	CustomFieldResourceTask     CustomFieldResource = "task"
	CustomFieldResourceNote     CustomFieldResource = "note"
	CustomFieldResourceActivity CustomFieldResource = "activity"
	CustomFieldResourceProduct  CustomFieldResource = "product"
	CustomFieldResourceQuote    CustomFieldResource = "quote"
)

// CustomFieldKind is a choice.
type CustomFieldKind string

// The choices of CustomFieldKind.
const (
	CustomFieldKindText        CustomFieldKind = "text"
	CustomFieldKindLongText    CustomFieldKind = "long_text"
	CustomFieldKindNumber      CustomFieldKind = "number"
	CustomFieldKindDecimal     CustomFieldKind = "decimal"
	CustomFieldKindMoney       CustomFieldKind = "money"
	CustomFieldKindBoolean     CustomFieldKind = "boolean"
	CustomFieldKindDate        CustomFieldKind = "date"
	CustomFieldKindDatetime    CustomFieldKind = "datetime"
	CustomFieldKindSelect      CustomFieldKind = "select"
	CustomFieldKindMultiSelect CustomFieldKind = "multi_select"
	CustomFieldKindURL         CustomFieldKind = "url"
	CustomFieldKindEmail       CustomFieldKind = "email"
	CustomFieldKindPhone       CustomFieldKind = "phone"
	CustomFieldKindReference   CustomFieldKind = "reference"
)

// CustomFieldTarget is a choice.
type CustomFieldTarget string

// The choices of CustomFieldTarget.
const (
	CustomFieldTargetContact        CustomFieldTarget = "contact"
	CustomFieldTargetCompany        CustomFieldTarget = "company"
	CustomFieldTargetDeal           CustomFieldTarget = "deal"
	CustomFieldTargetTask           CustomFieldTarget = "task"
	CustomFieldTargetNote           CustomFieldTarget = "note"
	CustomFieldTargetActivity       CustomFieldTarget = "activity"
	CustomFieldTargetProduct        CustomFieldTarget = "product"
	CustomFieldTargetQuote          CustomFieldTarget = "quote"
	CustomFieldTargetAssociation    CustomFieldTarget = "association"
	CustomFieldTargetPipeline       CustomFieldTarget = "pipeline"
	CustomFieldTargetLifecycleStage CustomFieldTarget = "lifecycle_stage"
	CustomFieldTargetLossReason     CustomFieldTarget = "loss_reason"
	CustomFieldTargetUser           CustomFieldTarget = "user"
	CustomFieldTargetRole           CustomFieldTarget = "role"
	CustomFieldTargetToken          CustomFieldTarget = "token"
	CustomFieldTargetApp            CustomFieldTarget = "app"
	CustomFieldTargetView           CustomFieldTarget = "view"
	CustomFieldTargetReport         CustomFieldTarget = "report"
	CustomFieldTargetFollow         CustomFieldTarget = "follow"
	CustomFieldTargetNotification   CustomFieldTarget = "notification"
	CustomFieldTargetField          CustomFieldTarget = "field"
	CustomFieldTargetWebhook        CustomFieldTarget = "webhook"
)

// CustomFieldIndexStatus is a choice.
type CustomFieldIndexStatus string

// The choices of CustomFieldIndexStatus.
const (
	CustomFieldIndexStatusBuilding CustomFieldIndexStatus = "building"
	CustomFieldIndexStatusReady    CustomFieldIndexStatus = "ready"
)

// CustomOption is one of the options of a record.
type CustomOption struct {
	// As it is sent, kept and answered.
	Value string `json:"value,omitzero"`
	// What people read; the value in words when not given.
	Label string `json:"label,omitzero"`
	// One of gray, red, orange, yellow, green, teal, blue, purple, or as #d4af37.
	Colour string `json:"colour,omitzero"`
	// Follows from the place in the list.
	Position *int64 `json:"position,omitzero"`
	// Whether it can no longer be chosen; records that have it keep it. False when not given.
	Archived *bool `json:"archived,omitzero"`
}

// WebhookID is the id of a webhook.
type WebhookID string

// Webhook is a webhook as the server answers it.
type Webhook struct {
	ID WebhookID `json:"id,omitzero"`
	// The host of the address when not given.
	Name string `json:"name,omitzero"`
	// Where events are sent to, by POST: https, in no private network.
	URL string `json:"url,omitzero"`
	// What it is told of: deal.won, deal.* or *. See [events](#webhooks).
	Events []string `json:"events,omitzero"`
	// For some resources, filters as in a search: only events of records that they find, as these were after the change.
	Filters map[string]any `json:"filters,omitzero"`
	// One that is enabled again goes on where it stopped.
	Status     WebhookStatus `json:"status,omitzero"`
	DisabledAt time.Time     `json:"disabled_at,omitzero"`
	// Where kith did it.
	DisabledReason string `json:"disabled_reason,omitzero"`
	// Who last said where it sends what: it is told of what they may read.
	UserID UserID `json:"user_id,omitzero"`
	// User has what Query.Fields asks for of it.
	User *User `json:"user,omitzero"`
	// The user who is responsible; the acting user when not given.
	OwnerID UserID `json:"owner_id,omitzero"`
	// Owner has what Query.Fields asks for of it.
	Owner *User `json:"owner,omitzero"`
	// Your own identifier, unique among the live records of the resource.
	ExternalID   string         `json:"external_id,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	CustomFields map[string]any `json:"custom_fields,omitzero"`
	CreatedAt    time.Time      `json:"created_at,omitzero"`
	CreatedBy    UserID         `json:"created_by,omitzero"`
	UpdatedAt    time.Time      `json:"updated_at,omitzero"`
	UpdatedBy    UserID         `json:"updated_by,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
	// Only in the bin.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
	// Secret is what proves to be the webhook. It is answered only once, when it is made.
	Secret string `json:"secret,omitzero"`
	// Omitted names the secret where the answer came again to a request that was sent again: it cannot be shown a second time.
	Omitted []string `json:"omitted,omitzero"`
}

// WebhookStatus is a choice.
type WebhookStatus string

// The choices of WebhookStatus.
const (
	WebhookStatusActive   WebhookStatus = "active"
	WebhookStatusDisabled WebhookStatus = "disabled"
)

// BusinessID is the id of a business.
type BusinessID string

// Business is a business as the server answers it.
type Business struct {
	ID   BusinessID `json:"id,omitzero"`
	Name string     `json:"name,omitzero"`
	// Where a deal, product or quote names no other. A change counts for what is made from then on.
	Currency string `json:"currency,omitzero"`
	// Such as Europe/Berlin; UTC when not given.
	Timezone string `json:"timezone,omitzero"`
	Locale   string `json:"locale,omitzero"`
	// As it stands on quotes, in lines.
	Address string `json:"address,omitzero"`
	// As it stands on quotes.
	TaxID string `json:"tax_id,omitzero"`
	// Stand on every quote, behind its own terms.
	QuoteTerms string `json:"quote_terms,omitzero"`
	// Stands at the end of every page of a quote; up to four lines of it.
	QuoteFooter string `json:"quote_footer,omitzero"`
	// Stands on quotes. A PNG or JPEG as a data: address in base64, of at most 600 KB and 4 million points; it is drawn anew as a PNG that fits 900 by 330 points. Kept apart: what is answered is a mark that changes with it, and GET /v1/business/logo gives the picture.
	Logo string `json:"logo,omitzero"`
	// After so many days deleted records are removed for good; never when not given.
	BinDays *int64 `json:"bin_days,omitzero"`
	// The address (issuer) of the OpenID Connect provider by which people log in to this business. To remove it removes the other login_ fields, too. Whoever sets any of them must have every right that a role of the business gives.
	LoginIssuer string `json:"login_issuer,omitzero"`
	// What the provider knows kith by.
	LoginClientID string `json:"login_client_id,omitzero"`
	// Kept apart and never answered: what is answered tells since when it is set.
	LoginClientSecret string `json:"login_client_secret,omitzero"`
	// Only e-mail addresses at these log in by the provider; 1 to 50.
	LoginDomains []string `json:"login_domains,omitzero"`
	// Who has no user yet is made one with this role. Only users that are there can log in when not given.
	LoginRoleID RoleID `json:"login_role_id,omitzero"`
	// Whether people log in by the provider only. Those whose role has the feature permission manage_settings can log in by other means as well.
	LoginRequired *bool `json:"login_required,omitzero"`
	// Whether an e-mail address counts that the provider sends without email_verified, as Microsoft Entra ID does. Only for a provider where nobody but the company decides which address somebody has. One that it calls unverified never counts.
	LoginTrusted *bool     `json:"login_trusted,omitzero"`
	CreatedAt    time.Time `json:"created_at,omitzero"`
	UpdatedAt    time.Time `json:"updated_at,omitzero"`
	// Rises by one with every change; the ETag.
	Version int64 `json:"version,omitzero"`
}

// AuditID is the id of an audit.
type AuditID string

// Audit is an audit as the server answers it.
type Audit struct {
	ID AuditID `json:"id,omitzero"`
	// Counts the lines of the business, from 1 and without gaps.
	Seq       int64       `json:"seq,omitzero"`
	CreatedAt time.Time   `json:"created_at,omitzero"`
	Action    AuditAction `json:"action,omitzero"`
	// user: somebody who logged in, or an app or token of theirs. operator: a command on the server. server: kith by itself. stranger: nobody knows.
	Actor AuditActor `json:"actor,omitzero"`
	// Who acted, or in whose name.
	UserID  UserID  `json:"user_id,omitzero"`
	TokenID TokenID `json:"token_id,omitzero"`
	// The app that acted: its id, or its client id where it registered itself.
	AppID string `json:"app_id,omitzero"`
	// What it happened to.
	Resource AuditResource `json:"resource,omitzero"`
	RecordID string        `json:"record_id,omitzero"`
	// The names of what changed; never the values. Of a link, what it is for.
	Fields []string `json:"fields,omitzero"`
	// More than 1 where several are told in one line.
	Count int64 `json:"count,omitzero"`
	// Where the request came from; gone once the user is erased.
	Address   string `json:"address,omitzero"`
	RequestID string `json:"request_id,omitzero"`
	// SHA-256 of the line and the hash of the one before.
	Hash string `json:"hash,omitzero"`
}

// AuditAction is a choice.
type AuditAction string

// The choices of AuditAction.
const (
	AuditActionAppCreated             AuditAction = "app.created"
	AuditActionAppDeleted             AuditAction = "app.deleted"
	AuditActionAppSecretRotated       AuditAction = "app.secret_rotated"
	AuditActionAppUpdated             AuditAction = "app.updated"
	AuditActionAuditBegan             AuditAction = "audit.began"
	AuditActionBackupCreated          AuditAction = "backup.created"
	AuditActionBackupRestored         AuditAction = "backup.restored"
	AuditActionBinEmptied             AuditAction = "bin.emptied"
	AuditActionBusinessCreated        AuditAction = "business.created"
	AuditActionBusinessUpdated        AuditAction = "business.updated"
	AuditActionCompanyErased          AuditAction = "company.erased"
	AuditActionConfirmationFailed     AuditAction = "confirmation.failed"
	AuditActionContactErased          AuditAction = "contact.erased"
	AuditActionDataExported           AuditAction = "data.exported"
	AuditActionFieldCreated           AuditAction = "field.created"
	AuditActionFieldDeleted           AuditAction = "field.deleted"
	AuditActionFieldRestored          AuditAction = "field.restored"
	AuditActionFieldUpdated           AuditAction = "field.updated"
	AuditActionGrantCreated           AuditAction = "grant.created"
	AuditActionGrantEnded             AuditAction = "grant.ended"
	AuditActionLifecycleStageCreated  AuditAction = "lifecycle_stage.created"
	AuditActionLifecycleStageDeleted  AuditAction = "lifecycle_stage.deleted"
	AuditActionLifecycleStageRestored AuditAction = "lifecycle_stage.restored"
	AuditActionLifecycleStageUpdated  AuditAction = "lifecycle_stage.updated"
	AuditActionLinkCreated            AuditAction = "link.created"
	AuditActionLoginFailed            AuditAction = "login.failed"
	AuditActionLoginSucceeded         AuditAction = "login.succeeded"
	AuditActionLossReasonCreated      AuditAction = "loss_reason.created"
	AuditActionLossReasonDeleted      AuditAction = "loss_reason.deleted"
	AuditActionLossReasonRestored     AuditAction = "loss_reason.restored"
	AuditActionLossReasonUpdated      AuditAction = "loss_reason.updated"
	AuditActionPasswordChanged        AuditAction = "password.changed"
	AuditActionPipelineCreated        AuditAction = "pipeline.created"
	AuditActionPipelineDeleted        AuditAction = "pipeline.deleted"
	AuditActionPipelineRestored       AuditAction = "pipeline.restored"
	AuditActionPipelineUpdated        AuditAction = "pipeline.updated"
	AuditActionRoleCreated            AuditAction = "role.created"
	AuditActionRoleDeleted            AuditAction = "role.deleted"
	AuditActionRoleRestored           AuditAction = "role.restored"
	AuditActionRoleUpdated            AuditAction = "role.updated"
	AuditActionSessionEnded           AuditAction = "session.ended"
	AuditActionTokenCreated           AuditAction = "token.created"
	AuditActionTokenDeleted           AuditAction = "token.deleted"
	AuditActionUserCreated            AuditAction = "user.created"
	AuditActionUserDeleted            AuditAction = "user.deleted"
	AuditActionUserErased             AuditAction = "user.erased"
	AuditActionUserRestored           AuditAction = "user.restored"
	AuditActionUserUpdated            AuditAction = "user.updated"
	AuditActionWebhookCreated         AuditAction = "webhook.created"
	AuditActionWebhookDeleted         AuditAction = "webhook.deleted"
	AuditActionWebhookSecretRotated   AuditAction = "webhook.secret_rotated"
	AuditActionWebhookUpdated         AuditAction = "webhook.updated"
)

// AuditActor is a choice.
type AuditActor string

// The choices of AuditActor.
const (
	AuditActorUser     AuditActor = "user"
	AuditActorOperator AuditActor = "operator"
	AuditActorServer   AuditActor = "server"
	AuditActorStranger AuditActor = "stranger"
)

// AuditResource is a choice.
type AuditResource string

// The choices of AuditResource.
const (
	AuditResourceBusiness       AuditResource = "business"
	AuditResourceClient         AuditResource = "client"
	AuditResourceContact        AuditResource = "contact"
	AuditResourceCompany        AuditResource = "company"
	AuditResourceDeal           AuditResource = "deal"
	AuditResourceTask           AuditResource = "task"
	AuditResourceNote           AuditResource = "note"
	AuditResourceActivity       AuditResource = "activity"
	AuditResourceProduct        AuditResource = "product"
	AuditResourceQuote          AuditResource = "quote"
	AuditResourceAssociation    AuditResource = "association"
	AuditResourcePipeline       AuditResource = "pipeline"
	AuditResourceLifecycleStage AuditResource = "lifecycle_stage"
	AuditResourceLossReason     AuditResource = "loss_reason"
	AuditResourceUser           AuditResource = "user"
	AuditResourceRole           AuditResource = "role"
	AuditResourceToken          AuditResource = "token"
	AuditResourceApp            AuditResource = "app"
	AuditResourceView           AuditResource = "view"
	AuditResourceReport         AuditResource = "report"
	AuditResourceFollow         AuditResource = "follow"
	AuditResourceNotification   AuditResource = "notification"
	AuditResourceField          AuditResource = "field"
	AuditResourceWebhook        AuditResource = "webhook"
)
