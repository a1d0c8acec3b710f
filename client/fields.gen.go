// Code generated from the declarations by cmd/docs; DO NOT EDIT.

package client

import "time"

// LinkFields name the records that others are associated with: a search can be filtered by them, and not be ordered.
type LinkFields struct {
	Contact  ListField[ContactID]
	Company  ListField[CompanyID]
	Deal     ListField[DealID]
	Quote    ListField[QuoteID]
	Task     ListField[TaskID]
	Note     ListField[NoteID]
	Activity ListField[ActivityID]
}

var linkFields = LinkFields{
	Contact:  ListField[ContactID]("associations.contact"),
	Company:  ListField[CompanyID]("associations.company"),
	Deal:     ListField[DealID]("associations.deal"),
	Quote:    ListField[QuoteID]("associations.quote"),
	Task:     ListField[TaskID]("associations.task"),
	Note:     ListField[NoteID]("associations.note"),
	Activity: ListField[ActivityID]("associations.activity"),
}

// ContactPaths are the names of the fields of a contact.
type ContactPaths struct {
	ID               ExactField[ContactID]
	FirstName        TextField
	LastName         TextField
	Name             TextField
	Email            TextField
	Phone            TextField
	MobilePhone      TextField
	JobTitle         TextField
	CompanyID        ExactField[CompanyID]
	LeadScore        RangeField[float64]
	LifecycleStageID ExactField[LifecycleStageID]
	LeadSource       TextField
	Address          AddressPaths
	LinkedInURL      TextField
	Timezone         TextField
	DoNotContact     ExactField[bool]
	LastContactedAt  RangeField[time.Time]
	OwnerID          ExactField[UserID]
	ExternalID       TextField
	Tags             ListField[string]
	CustomFields     ObjectField
	CreatedAt        RangeField[time.Time]
	CreatedBy        ExactField[UserID]
	UpdatedAt        RangeField[time.Time]
	UpdatedBy        ExactField[UserID]
	Version          RangeField[int64]
	MergedIntoID     ExactField[ContactID]
	DeletedAt        RangeField[time.Time]
}

func newContactPaths(prefix string) ContactPaths {
	return ContactPaths{
		ID:               ExactField[ContactID](prefix + "id"),
		FirstName:        TextField(prefix + "first_name"),
		LastName:         TextField(prefix + "last_name"),
		Name:             TextField(prefix + "name"),
		Email:            TextField(prefix + "email"),
		Phone:            TextField(prefix + "phone"),
		MobilePhone:      TextField(prefix + "mobile_phone"),
		JobTitle:         TextField(prefix + "job_title"),
		CompanyID:        ExactField[CompanyID](prefix + "company_id"),
		LeadScore:        RangeField[float64](prefix + "lead_score"),
		LifecycleStageID: ExactField[LifecycleStageID](prefix + "lifecycle_stage_id"),
		LeadSource:       TextField(prefix + "lead_source"),
		Address:          newAddressPaths(prefix + "address."),
		LinkedInURL:      TextField(prefix + "linkedin_url"),
		Timezone:         TextField(prefix + "timezone"),
		DoNotContact:     ExactField[bool](prefix + "do_not_contact"),
		LastContactedAt:  RangeField[time.Time](prefix + "last_contacted_at"),
		OwnerID:          ExactField[UserID](prefix + "owner_id"),
		ExternalID:       TextField(prefix + "external_id"),
		Tags:             ListField[string](prefix + "tags"),
		CustomFields:     ObjectField(prefix + "custom_fields"),
		CreatedAt:        RangeField[time.Time](prefix + "created_at"),
		CreatedBy:        ExactField[UserID](prefix + "created_by"),
		UpdatedAt:        RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:        ExactField[UserID](prefix + "updated_by"),
		Version:          RangeField[int64](prefix + "version"),
		MergedIntoID:     ExactField[ContactID](prefix + "merged_into_id"),
		DeletedAt:        RangeField[time.Time](prefix + "deleted_at"),
	}
}

// AddressPaths are the names of the fields of an address.
type AddressPaths struct {
	Street     TextField
	City       TextField
	Region     TextField
	PostalCode TextField
	Country    TextField
}

func newAddressPaths(prefix string) AddressPaths {
	return AddressPaths{
		Street:     TextField(prefix + "street"),
		City:       TextField(prefix + "city"),
		Region:     TextField(prefix + "region"),
		PostalCode: TextField(prefix + "postal_code"),
		Country:    TextField(prefix + "country"),
	}
}

// ContactFields names what a search for contacts can ask for: their own fields, and those of the records that they refer to.
var ContactFields = struct {
	ContactPaths
	Company        CompanyPaths
	LifecycleStage LifecycleStagePaths
	Owner          UserPaths
	CreatedByUser  UserPaths
	UpdatedByUser  UserPaths
	MergedInto     ContactPaths
	// Associations are the records that a search can be filtered by, where they are associated with those that it looks for.
	Associations LinkFields
}{
	ContactPaths:   newContactPaths(""),
	Company:        newCompanyPaths("company."),
	LifecycleStage: newLifecycleStagePaths("lifecycle_stage."),
	Owner:          newUserPaths("owner."),
	CreatedByUser:  newUserPaths("created_by."),
	UpdatedByUser:  newUserPaths("updated_by."),
	MergedInto:     newContactPaths("merged_into."),
	Associations:   linkFields,
}

// CompanyPaths are the names of the fields of a company.
type CompanyPaths struct {
	ID               ExactField[CompanyID]
	Name             TextField
	LegalName        TextField
	Domain           TextField
	Website          TextField
	Email            TextField
	Phone            TextField
	Industry         TextField
	CompanyType      TextField
	EmployeeCount    RangeField[int64]
	AnnualRevenue    RangeField[Decimal]
	Currency         TextField
	Address          AddressPaths
	ParentCompanyID  ExactField[CompanyID]
	LifecycleStageID ExactField[LifecycleStageID]
	Description      TextField
	LinkedInURL      TextField
	LastContactedAt  RangeField[time.Time]
	OwnerID          ExactField[UserID]
	ExternalID       TextField
	Tags             ListField[string]
	CustomFields     ObjectField
	CreatedAt        RangeField[time.Time]
	CreatedBy        ExactField[UserID]
	UpdatedAt        RangeField[time.Time]
	UpdatedBy        ExactField[UserID]
	Version          RangeField[int64]
	MergedIntoID     ExactField[CompanyID]
	DeletedAt        RangeField[time.Time]
}

func newCompanyPaths(prefix string) CompanyPaths {
	return CompanyPaths{
		ID:               ExactField[CompanyID](prefix + "id"),
		Name:             TextField(prefix + "name"),
		LegalName:        TextField(prefix + "legal_name"),
		Domain:           TextField(prefix + "domain"),
		Website:          TextField(prefix + "website"),
		Email:            TextField(prefix + "email"),
		Phone:            TextField(prefix + "phone"),
		Industry:         TextField(prefix + "industry"),
		CompanyType:      TextField(prefix + "company_type"),
		EmployeeCount:    RangeField[int64](prefix + "employee_count"),
		AnnualRevenue:    RangeField[Decimal](prefix + "annual_revenue"),
		Currency:         TextField(prefix + "currency"),
		Address:          newAddressPaths(prefix + "address."),
		ParentCompanyID:  ExactField[CompanyID](prefix + "parent_company_id"),
		LifecycleStageID: ExactField[LifecycleStageID](prefix + "lifecycle_stage_id"),
		Description:      TextField(prefix + "description"),
		LinkedInURL:      TextField(prefix + "linkedin_url"),
		LastContactedAt:  RangeField[time.Time](prefix + "last_contacted_at"),
		OwnerID:          ExactField[UserID](prefix + "owner_id"),
		ExternalID:       TextField(prefix + "external_id"),
		Tags:             ListField[string](prefix + "tags"),
		CustomFields:     ObjectField(prefix + "custom_fields"),
		CreatedAt:        RangeField[time.Time](prefix + "created_at"),
		CreatedBy:        ExactField[UserID](prefix + "created_by"),
		UpdatedAt:        RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:        ExactField[UserID](prefix + "updated_by"),
		Version:          RangeField[int64](prefix + "version"),
		MergedIntoID:     ExactField[CompanyID](prefix + "merged_into_id"),
		DeletedAt:        RangeField[time.Time](prefix + "deleted_at"),
	}
}

// CompanyFields names what a search for companies can ask for: their own fields, and those of the records that they refer to.
var CompanyFields = struct {
	CompanyPaths
	ParentCompany  CompanyPaths
	LifecycleStage LifecycleStagePaths
	Owner          UserPaths
	CreatedByUser  UserPaths
	UpdatedByUser  UserPaths
	MergedInto     CompanyPaths
	// Associations are the records that a search can be filtered by, where they are associated with those that it looks for.
	Associations LinkFields
}{
	CompanyPaths:   newCompanyPaths(""),
	ParentCompany:  newCompanyPaths("parent_company."),
	LifecycleStage: newLifecycleStagePaths("lifecycle_stage."),
	Owner:          newUserPaths("owner."),
	CreatedByUser:  newUserPaths("created_by."),
	UpdatedByUser:  newUserPaths("updated_by."),
	MergedInto:     newCompanyPaths("merged_into."),
	Associations:   linkFields,
}

// DealPaths are the names of the fields of a deal.
type DealPaths struct {
	ID                ExactField[DealID]
	Name              TextField
	PipelineID        ExactField[PipelineID]
	StageID           ExactField[StageID]
	Status            ExactField[DealStatus]
	Amount            RangeField[Decimal]
	Currency          TextField
	Probability       RangeField[Decimal]
	WeightedAmount    RangeField[Decimal]
	ExpectedCloseDate RangeField[Date]
	ClosedAt          RangeField[time.Time]
	LossReasonID      ExactField[LossReasonID]
	LostReason        TextField
	CompanyID         ExactField[CompanyID]
	ContactID         ExactField[ContactID]
	LineItems         ObjectField
	NextStep          TextField
	StageChangedAt    RangeField[time.Time]
	PastStages        ObjectField
	Description       TextField
	OwnerID           ExactField[UserID]
	ExternalID        TextField
	Tags              ListField[string]
	CustomFields      ObjectField
	CreatedAt         RangeField[time.Time]
	CreatedBy         ExactField[UserID]
	UpdatedAt         RangeField[time.Time]
	UpdatedBy         ExactField[UserID]
	Version           RangeField[int64]
	DeletedAt         RangeField[time.Time]
}

func newDealPaths(prefix string) DealPaths {
	return DealPaths{
		ID:                ExactField[DealID](prefix + "id"),
		Name:              TextField(prefix + "name"),
		PipelineID:        ExactField[PipelineID](prefix + "pipeline_id"),
		StageID:           ExactField[StageID](prefix + "stage_id"),
		Status:            ExactField[DealStatus](prefix + "status"),
		Amount:            RangeField[Decimal](prefix + "amount"),
		Currency:          TextField(prefix + "currency"),
		Probability:       RangeField[Decimal](prefix + "probability"),
		WeightedAmount:    RangeField[Decimal](prefix + "weighted_amount"),
		ExpectedCloseDate: RangeField[Date](prefix + "expected_close_date"),
		ClosedAt:          RangeField[time.Time](prefix + "closed_at"),
		LossReasonID:      ExactField[LossReasonID](prefix + "loss_reason_id"),
		LostReason:        TextField(prefix + "lost_reason"),
		CompanyID:         ExactField[CompanyID](prefix + "company_id"),
		ContactID:         ExactField[ContactID](prefix + "contact_id"),
		LineItems:         ObjectField(prefix + "line_items"),
		NextStep:          TextField(prefix + "next_step"),
		StageChangedAt:    RangeField[time.Time](prefix + "stage_changed_at"),
		PastStages:        ObjectField(prefix + "past_stages"),
		Description:       TextField(prefix + "description"),
		OwnerID:           ExactField[UserID](prefix + "owner_id"),
		ExternalID:        TextField(prefix + "external_id"),
		Tags:              ListField[string](prefix + "tags"),
		CustomFields:      ObjectField(prefix + "custom_fields"),
		CreatedAt:         RangeField[time.Time](prefix + "created_at"),
		CreatedBy:         ExactField[UserID](prefix + "created_by"),
		UpdatedAt:         RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:         ExactField[UserID](prefix + "updated_by"),
		Version:           RangeField[int64](prefix + "version"),
		DeletedAt:         RangeField[time.Time](prefix + "deleted_at"),
	}
}

// DealFields names what a search for deals can ask for: their own fields, and those of the records that they refer to.
var DealFields = struct {
	DealPaths
	Pipeline      PipelinePaths
	Stage         StagePaths
	LossReason    LossReasonPaths
	Company       CompanyPaths
	Contact       ContactPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
	// Associations are the records that a search can be filtered by, where they are associated with those that it looks for.
	Associations LinkFields
}{
	DealPaths:     newDealPaths(""),
	Pipeline:      newPipelinePaths("pipeline."),
	Stage:         newStagePaths("stage."),
	LossReason:    newLossReasonPaths("loss_reason."),
	Company:       newCompanyPaths("company."),
	Contact:       newContactPaths("contact."),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
	Associations:  linkFields,
}

// TaskPaths are the names of the fields of a task.
type TaskPaths struct {
	ID           ExactField[TaskID]
	Title        TextField
	Description  TextField
	TaskType     TextField
	Status       ExactField[TaskStatus]
	Priority     ExactField[TaskPriority]
	DueAt        RangeField[time.Time]
	CompletedAt  RangeField[time.Time]
	CompletedBy  ExactField[UserID]
	AssigneeID   ExactField[UserID]
	ContactID    ExactField[ContactID]
	CompanyID    ExactField[CompanyID]
	DealID       ExactField[DealID]
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newTaskPaths(prefix string) TaskPaths {
	return TaskPaths{
		ID:           ExactField[TaskID](prefix + "id"),
		Title:        TextField(prefix + "title"),
		Description:  TextField(prefix + "description"),
		TaskType:     TextField(prefix + "task_type"),
		Status:       ExactField[TaskStatus](prefix + "status"),
		Priority:     ExactField[TaskPriority](prefix + "priority"),
		DueAt:        RangeField[time.Time](prefix + "due_at"),
		CompletedAt:  RangeField[time.Time](prefix + "completed_at"),
		CompletedBy:  ExactField[UserID](prefix + "completed_by"),
		AssigneeID:   ExactField[UserID](prefix + "assignee_id"),
		ContactID:    ExactField[ContactID](prefix + "contact_id"),
		CompanyID:    ExactField[CompanyID](prefix + "company_id"),
		DealID:       ExactField[DealID](prefix + "deal_id"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// TaskFields names what a search for tasks can ask for: their own fields, and those of the records that they refer to.
var TaskFields = struct {
	TaskPaths
	CompletedByUser UserPaths
	Assignee        UserPaths
	Contact         ContactPaths
	Company         CompanyPaths
	Deal            DealPaths
	Owner           UserPaths
	CreatedByUser   UserPaths
	UpdatedByUser   UserPaths
	// Associations are the records that a search can be filtered by, where they are associated with those that it looks for.
	Associations LinkFields
}{
	TaskPaths:       newTaskPaths(""),
	CompletedByUser: newUserPaths("completed_by."),
	Assignee:        newUserPaths("assignee."),
	Contact:         newContactPaths("contact."),
	Company:         newCompanyPaths("company."),
	Deal:            newDealPaths("deal."),
	Owner:           newUserPaths("owner."),
	CreatedByUser:   newUserPaths("created_by."),
	UpdatedByUser:   newUserPaths("updated_by."),
	Associations:    linkFields,
}

// NotePaths are the names of the fields of a note.
type NotePaths struct {
	ID           ExactField[NoteID]
	Title        TextField
	Body         TextField
	Pinned       ExactField[bool]
	PinnedAt     RangeField[time.Time]
	PinnedBy     ExactField[UserID]
	ContactID    ExactField[ContactID]
	CompanyID    ExactField[CompanyID]
	DealID       ExactField[DealID]
	InReplyToID  ExactField[NoteID]
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newNotePaths(prefix string) NotePaths {
	return NotePaths{
		ID:           ExactField[NoteID](prefix + "id"),
		Title:        TextField(prefix + "title"),
		Body:         TextField(prefix + "body"),
		Pinned:       ExactField[bool](prefix + "pinned"),
		PinnedAt:     RangeField[time.Time](prefix + "pinned_at"),
		PinnedBy:     ExactField[UserID](prefix + "pinned_by"),
		ContactID:    ExactField[ContactID](prefix + "contact_id"),
		CompanyID:    ExactField[CompanyID](prefix + "company_id"),
		DealID:       ExactField[DealID](prefix + "deal_id"),
		InReplyToID:  ExactField[NoteID](prefix + "in_reply_to_id"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// NoteFields names what a search for notes can ask for: their own fields, and those of the records that they refer to.
var NoteFields = struct {
	NotePaths
	PinnedByUser  UserPaths
	Contact       ContactPaths
	Company       CompanyPaths
	Deal          DealPaths
	InReplyTo     NotePaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
	// Associations are the records that a search can be filtered by, where they are associated with those that it looks for.
	Associations LinkFields
}{
	NotePaths:     newNotePaths(""),
	PinnedByUser:  newUserPaths("pinned_by."),
	Contact:       newContactPaths("contact."),
	Company:       newCompanyPaths("company."),
	Deal:          newDealPaths("deal."),
	InReplyTo:     newNotePaths("in_reply_to."),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
	Associations:  linkFields,
}

// ActivityPaths are the names of the fields of an activity.
type ActivityPaths struct {
	ID              ExactField[ActivityID]
	ActivityType    ExactField[ActivityType]
	Subject         TextField
	Body            TextField
	Direction       ExactField[ActivityDirection]
	Outcome         TextField
	OccurredAt      RangeField[time.Time]
	DurationSeconds RangeField[int64]
	Location        TextField
	ContactID       ExactField[ContactID]
	CompanyID       ExactField[CompanyID]
	DealID          ExactField[DealID]
	OwnerID         ExactField[UserID]
	ExternalID      TextField
	Tags            ListField[string]
	CustomFields    ObjectField
	CreatedAt       RangeField[time.Time]
	CreatedBy       ExactField[UserID]
	UpdatedAt       RangeField[time.Time]
	UpdatedBy       ExactField[UserID]
	Version         RangeField[int64]
	DeletedAt       RangeField[time.Time]
}

func newActivityPaths(prefix string) ActivityPaths {
	return ActivityPaths{
		ID:              ExactField[ActivityID](prefix + "id"),
		ActivityType:    ExactField[ActivityType](prefix + "activity_type"),
		Subject:         TextField(prefix + "subject"),
		Body:            TextField(prefix + "body"),
		Direction:       ExactField[ActivityDirection](prefix + "direction"),
		Outcome:         TextField(prefix + "outcome"),
		OccurredAt:      RangeField[time.Time](prefix + "occurred_at"),
		DurationSeconds: RangeField[int64](prefix + "duration_seconds"),
		Location:        TextField(prefix + "location"),
		ContactID:       ExactField[ContactID](prefix + "contact_id"),
		CompanyID:       ExactField[CompanyID](prefix + "company_id"),
		DealID:          ExactField[DealID](prefix + "deal_id"),
		OwnerID:         ExactField[UserID](prefix + "owner_id"),
		ExternalID:      TextField(prefix + "external_id"),
		Tags:            ListField[string](prefix + "tags"),
		CustomFields:    ObjectField(prefix + "custom_fields"),
		CreatedAt:       RangeField[time.Time](prefix + "created_at"),
		CreatedBy:       ExactField[UserID](prefix + "created_by"),
		UpdatedAt:       RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:       ExactField[UserID](prefix + "updated_by"),
		Version:         RangeField[int64](prefix + "version"),
		DeletedAt:       RangeField[time.Time](prefix + "deleted_at"),
	}
}

// ActivityFields names what a search for activities can ask for: their own fields, and those of the records that they refer to.
var ActivityFields = struct {
	ActivityPaths
	Contact       ContactPaths
	Company       CompanyPaths
	Deal          DealPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
	// Associations are the records that a search can be filtered by, where they are associated with those that it looks for.
	Associations LinkFields
}{
	ActivityPaths: newActivityPaths(""),
	Contact:       newContactPaths("contact."),
	Company:       newCompanyPaths("company."),
	Deal:          newDealPaths("deal."),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
	Associations:  linkFields,
}

// ProductPaths are the names of the fields of a product.
type ProductPaths struct {
	ID               ExactField[ProductID]
	Name             TextField
	SKU              TextField
	Description      TextField
	Status           ExactField[ProductStatus]
	Price            RangeField[Decimal]
	Cost             RangeField[Decimal]
	Currency         TextField
	TaxRate          RangeField[Decimal]
	Unit             TextField
	Category         TextField
	BillingFrequency ExactField[ProductBillingFrequency]
	ImageURL         TextField
	OwnerID          ExactField[UserID]
	ExternalID       TextField
	Tags             ListField[string]
	CustomFields     ObjectField
	CreatedAt        RangeField[time.Time]
	CreatedBy        ExactField[UserID]
	UpdatedAt        RangeField[time.Time]
	UpdatedBy        ExactField[UserID]
	Version          RangeField[int64]
	DeletedAt        RangeField[time.Time]
}

func newProductPaths(prefix string) ProductPaths {
	return ProductPaths{
		ID:               ExactField[ProductID](prefix + "id"),
		Name:             TextField(prefix + "name"),
		SKU:              TextField(prefix + "sku"),
		Description:      TextField(prefix + "description"),
		Status:           ExactField[ProductStatus](prefix + "status"),
		Price:            RangeField[Decimal](prefix + "price"),
		Cost:             RangeField[Decimal](prefix + "cost"),
		Currency:         TextField(prefix + "currency"),
		TaxRate:          RangeField[Decimal](prefix + "tax_rate"),
		Unit:             TextField(prefix + "unit"),
		Category:         TextField(prefix + "category"),
		BillingFrequency: ExactField[ProductBillingFrequency](prefix + "billing_frequency"),
		ImageURL:         TextField(prefix + "image_url"),
		OwnerID:          ExactField[UserID](prefix + "owner_id"),
		ExternalID:       TextField(prefix + "external_id"),
		Tags:             ListField[string](prefix + "tags"),
		CustomFields:     ObjectField(prefix + "custom_fields"),
		CreatedAt:        RangeField[time.Time](prefix + "created_at"),
		CreatedBy:        ExactField[UserID](prefix + "created_by"),
		UpdatedAt:        RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:        ExactField[UserID](prefix + "updated_by"),
		Version:          RangeField[int64](prefix + "version"),
		DeletedAt:        RangeField[time.Time](prefix + "deleted_at"),
	}
}

// ProductFields names what a search for products can ask for: their own fields, and those of the records that they refer to.
var ProductFields = struct {
	ProductPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	ProductPaths:  newProductPaths(""),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
}

// QuotePaths are the names of the fields of a quote.
type QuotePaths struct {
	ID             ExactField[QuoteID]
	Number         RangeField[int64]
	Title          TextField
	Status         ExactField[QuoteStatus]
	DealID         ExactField[DealID]
	CompanyID      ExactField[CompanyID]
	ContactID      ExactField[ContactID]
	Currency       TextField
	LineItems      ObjectField
	Subtotal       RangeField[Decimal]
	DiscountTotal  RangeField[Decimal]
	TaxTotal       RangeField[Decimal]
	Total          RangeField[Decimal]
	ValidUntil     RangeField[Date]
	Terms          TextField
	SentAt         RangeField[time.Time]
	AcceptedAt     RangeField[time.Time]
	DeclinedAt     RangeField[time.Time]
	DeclinedReason TextField
	SharedAt       RangeField[time.Time]
	AcceptedBy     TextField
	AnsweredFrom   TextField
	OwnerID        ExactField[UserID]
	ExternalID     TextField
	Tags           ListField[string]
	CustomFields   ObjectField
	CreatedAt      RangeField[time.Time]
	CreatedBy      ExactField[UserID]
	UpdatedAt      RangeField[time.Time]
	UpdatedBy      ExactField[UserID]
	Version        RangeField[int64]
	DeletedAt      RangeField[time.Time]
}

func newQuotePaths(prefix string) QuotePaths {
	return QuotePaths{
		ID:             ExactField[QuoteID](prefix + "id"),
		Number:         RangeField[int64](prefix + "number"),
		Title:          TextField(prefix + "title"),
		Status:         ExactField[QuoteStatus](prefix + "status"),
		DealID:         ExactField[DealID](prefix + "deal_id"),
		CompanyID:      ExactField[CompanyID](prefix + "company_id"),
		ContactID:      ExactField[ContactID](prefix + "contact_id"),
		Currency:       TextField(prefix + "currency"),
		LineItems:      ObjectField(prefix + "line_items"),
		Subtotal:       RangeField[Decimal](prefix + "subtotal"),
		DiscountTotal:  RangeField[Decimal](prefix + "discount_total"),
		TaxTotal:       RangeField[Decimal](prefix + "tax_total"),
		Total:          RangeField[Decimal](prefix + "total"),
		ValidUntil:     RangeField[Date](prefix + "valid_until"),
		Terms:          TextField(prefix + "terms"),
		SentAt:         RangeField[time.Time](prefix + "sent_at"),
		AcceptedAt:     RangeField[time.Time](prefix + "accepted_at"),
		DeclinedAt:     RangeField[time.Time](prefix + "declined_at"),
		DeclinedReason: TextField(prefix + "declined_reason"),
		SharedAt:       RangeField[time.Time](prefix + "shared_at"),
		AcceptedBy:     TextField(prefix + "accepted_by"),
		AnsweredFrom:   TextField(prefix + "answered_from"),
		OwnerID:        ExactField[UserID](prefix + "owner_id"),
		ExternalID:     TextField(prefix + "external_id"),
		Tags:           ListField[string](prefix + "tags"),
		CustomFields:   ObjectField(prefix + "custom_fields"),
		CreatedAt:      RangeField[time.Time](prefix + "created_at"),
		CreatedBy:      ExactField[UserID](prefix + "created_by"),
		UpdatedAt:      RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:      ExactField[UserID](prefix + "updated_by"),
		Version:        RangeField[int64](prefix + "version"),
		DeletedAt:      RangeField[time.Time](prefix + "deleted_at"),
	}
}

// QuoteFields names what a search for quotes can ask for: their own fields, and those of the records that they refer to.
var QuoteFields = struct {
	QuotePaths
	Deal          DealPaths
	Company       CompanyPaths
	Contact       ContactPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
	// Associations are the records that a search can be filtered by, where they are associated with those that it looks for.
	Associations LinkFields
}{
	QuotePaths:    newQuotePaths(""),
	Deal:          newDealPaths("deal."),
	Company:       newCompanyPaths("company."),
	Contact:       newContactPaths("contact."),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
	Associations:  linkFields,
}

// AssociationPaths are the names of the fields of an association.
type AssociationPaths struct {
	ID           ExactField[AssociationID]
	FromID       TextField
	ToID         TextField
	Label        TextField
	DeletedWith  TextField
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newAssociationPaths(prefix string) AssociationPaths {
	return AssociationPaths{
		ID:           ExactField[AssociationID](prefix + "id"),
		FromID:       TextField(prefix + "from_id"),
		ToID:         TextField(prefix + "to_id"),
		Label:        TextField(prefix + "label"),
		DeletedWith:  TextField(prefix + "deleted_with"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// AssociationFields names what a search for associations can ask for: their own fields, and those of the records that they refer to.
var AssociationFields = struct {
	AssociationPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	AssociationPaths: newAssociationPaths(""),
	Owner:            newUserPaths("owner."),
	CreatedByUser:    newUserPaths("created_by."),
	UpdatedByUser:    newUserPaths("updated_by."),
}

// PipelinePaths are the names of the fields of a pipeline.
type PipelinePaths struct {
	ID           ExactField[PipelineID]
	Name         TextField
	Position     RangeField[int64]
	IsDefault    ExactField[bool]
	Stages       ObjectField
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newPipelinePaths(prefix string) PipelinePaths {
	return PipelinePaths{
		ID:           ExactField[PipelineID](prefix + "id"),
		Name:         TextField(prefix + "name"),
		Position:     RangeField[int64](prefix + "position"),
		IsDefault:    ExactField[bool](prefix + "is_default"),
		Stages:       ObjectField(prefix + "stages"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// PipelineFields names what a search for pipelines can ask for: their own fields, and those of the records that they refer to.
var PipelineFields = struct {
	PipelinePaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	PipelinePaths: newPipelinePaths(""),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
}

// StagePaths are the names of the fields of a stage.
type StagePaths struct {
	ID          ExactField[StageID]
	Name        TextField
	Position    RangeField[int64]
	Kind        ExactField[StageKind]
	Probability RangeField[Decimal]
	Colour      ExactField[StageColour]
}

func newStagePaths(prefix string) StagePaths {
	return StagePaths{
		ID:          ExactField[StageID](prefix + "id"),
		Name:        TextField(prefix + "name"),
		Position:    RangeField[int64](prefix + "position"),
		Kind:        ExactField[StageKind](prefix + "kind"),
		Probability: RangeField[Decimal](prefix + "probability"),
		Colour:      ExactField[StageColour](prefix + "colour"),
	}
}

// LifecycleStagePaths are the names of the fields of a lifecycle stage.
type LifecycleStagePaths struct {
	ID           ExactField[LifecycleStageID]
	Name         TextField
	Position     RangeField[int64]
	Colour       ExactField[LifecycleStageColour]
	IsDefault    ExactField[bool]
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newLifecycleStagePaths(prefix string) LifecycleStagePaths {
	return LifecycleStagePaths{
		ID:           ExactField[LifecycleStageID](prefix + "id"),
		Name:         TextField(prefix + "name"),
		Position:     RangeField[int64](prefix + "position"),
		Colour:       ExactField[LifecycleStageColour](prefix + "colour"),
		IsDefault:    ExactField[bool](prefix + "is_default"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// LifecycleStageFields names what a search for lifecycle stages can ask for: their own fields, and those of the records that they refer to.
var LifecycleStageFields = struct {
	LifecycleStagePaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	LifecycleStagePaths: newLifecycleStagePaths(""),
	Owner:               newUserPaths("owner."),
	CreatedByUser:       newUserPaths("created_by."),
	UpdatedByUser:       newUserPaths("updated_by."),
}

// LossReasonPaths are the names of the fields of a loss reason.
type LossReasonPaths struct {
	ID           ExactField[LossReasonID]
	Name         TextField
	Position     RangeField[int64]
	Active       ExactField[bool]
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newLossReasonPaths(prefix string) LossReasonPaths {
	return LossReasonPaths{
		ID:           ExactField[LossReasonID](prefix + "id"),
		Name:         TextField(prefix + "name"),
		Position:     RangeField[int64](prefix + "position"),
		Active:       ExactField[bool](prefix + "active"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// LossReasonFields names what a search for loss reasons can ask for: their own fields, and those of the records that they refer to.
var LossReasonFields = struct {
	LossReasonPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	LossReasonPaths: newLossReasonPaths(""),
	Owner:           newUserPaths("owner."),
	CreatedByUser:   newUserPaths("created_by."),
	UpdatedByUser:   newUserPaths("updated_by."),
}

// UserPaths are the names of the fields of a user.
type UserPaths struct {
	ID                        ExactField[UserID]
	Email                     TextField
	PendingEmail              TextField
	Name                      TextField
	Status                    ExactField[UserStatus]
	RoleID                    ExactField[RoleID]
	Timezone                  TextField
	Locale                    TextField
	LastActiveAt              RangeField[time.Time]
	SecondFactorAt            RangeField[time.Time]
	MutedNotifications        ListField[string]
	NotificationsMailedAtOnce ListField[string]
	NotificationsNotMailed    ListField[string]
	OwnerID                   ExactField[UserID]
	ExternalID                TextField
	Tags                      ListField[string]
	CustomFields              ObjectField
	CreatedAt                 RangeField[time.Time]
	CreatedBy                 ExactField[UserID]
	UpdatedAt                 RangeField[time.Time]
	UpdatedBy                 ExactField[UserID]
	Version                   RangeField[int64]
	DeletedAt                 RangeField[time.Time]
}

func newUserPaths(prefix string) UserPaths {
	return UserPaths{
		ID:                        ExactField[UserID](prefix + "id"),
		Email:                     TextField(prefix + "email"),
		PendingEmail:              TextField(prefix + "pending_email"),
		Name:                      TextField(prefix + "name"),
		Status:                    ExactField[UserStatus](prefix + "status"),
		RoleID:                    ExactField[RoleID](prefix + "role_id"),
		Timezone:                  TextField(prefix + "timezone"),
		Locale:                    TextField(prefix + "locale"),
		LastActiveAt:              RangeField[time.Time](prefix + "last_active_at"),
		SecondFactorAt:            RangeField[time.Time](prefix + "second_factor_at"),
		MutedNotifications:        ListField[string](prefix + "muted_notifications"),
		NotificationsMailedAtOnce: ListField[string](prefix + "notifications_mailed_at_once"),
		NotificationsNotMailed:    ListField[string](prefix + "notifications_not_mailed"),
		OwnerID:                   ExactField[UserID](prefix + "owner_id"),
		ExternalID:                TextField(prefix + "external_id"),
		Tags:                      ListField[string](prefix + "tags"),
		CustomFields:              ObjectField(prefix + "custom_fields"),
		CreatedAt:                 RangeField[time.Time](prefix + "created_at"),
		CreatedBy:                 ExactField[UserID](prefix + "created_by"),
		UpdatedAt:                 RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:                 ExactField[UserID](prefix + "updated_by"),
		Version:                   RangeField[int64](prefix + "version"),
		DeletedAt:                 RangeField[time.Time](prefix + "deleted_at"),
	}
}

// UserFields names what a search for users can ask for: their own fields, and those of the records that they refer to.
var UserFields = struct {
	UserPaths
	Role          RolePaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	UserPaths:     newUserPaths(""),
	Role:          newRolePaths("role."),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
}

// RolePaths are the names of the fields of a role.
type RolePaths struct {
	ID                   ExactField[RoleID]
	Name                 TextField
	Permissions          ObjectField
	Features             ListField[string]
	RequiresSecondFactor ExactField[bool]
	OwnerID              ExactField[UserID]
	ExternalID           TextField
	Tags                 ListField[string]
	CustomFields         ObjectField
	CreatedAt            RangeField[time.Time]
	CreatedBy            ExactField[UserID]
	UpdatedAt            RangeField[time.Time]
	UpdatedBy            ExactField[UserID]
	Version              RangeField[int64]
	DeletedAt            RangeField[time.Time]
}

func newRolePaths(prefix string) RolePaths {
	return RolePaths{
		ID:                   ExactField[RoleID](prefix + "id"),
		Name:                 TextField(prefix + "name"),
		Permissions:          ObjectField(prefix + "permissions"),
		Features:             ListField[string](prefix + "features"),
		RequiresSecondFactor: ExactField[bool](prefix + "requires_second_factor"),
		OwnerID:              ExactField[UserID](prefix + "owner_id"),
		ExternalID:           TextField(prefix + "external_id"),
		Tags:                 ListField[string](prefix + "tags"),
		CustomFields:         ObjectField(prefix + "custom_fields"),
		CreatedAt:            RangeField[time.Time](prefix + "created_at"),
		CreatedBy:            ExactField[UserID](prefix + "created_by"),
		UpdatedAt:            RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:            ExactField[UserID](prefix + "updated_by"),
		Version:              RangeField[int64](prefix + "version"),
		DeletedAt:            RangeField[time.Time](prefix + "deleted_at"),
	}
}

// RoleFields names what a search for roles can ask for: their own fields, and those of the records that they refer to.
var RoleFields = struct {
	RolePaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	RolePaths:     newRolePaths(""),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
}

// TokenPaths are the names of the fields of a token.
type TokenPaths struct {
	ID           ExactField[TokenID]
	Name         TextField
	Scopes       ListField[string]
	Hint         TextField
	UserID       ExactField[UserID]
	ExpiresAt    RangeField[time.Time]
	LastUsedAt   RangeField[time.Time]
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newTokenPaths(prefix string) TokenPaths {
	return TokenPaths{
		ID:           ExactField[TokenID](prefix + "id"),
		Name:         TextField(prefix + "name"),
		Scopes:       ListField[string](prefix + "scopes"),
		Hint:         TextField(prefix + "hint"),
		UserID:       ExactField[UserID](prefix + "user_id"),
		ExpiresAt:    RangeField[time.Time](prefix + "expires_at"),
		LastUsedAt:   RangeField[time.Time](prefix + "last_used_at"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// TokenFields names what a search for tokens can ask for: their own fields, and those of the records that they refer to.
var TokenFields = struct {
	TokenPaths
	User          UserPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	TokenPaths:    newTokenPaths(""),
	User:          newUserPaths("user."),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
}

// AppPaths are the names of the fields of an app.
type AppPaths struct {
	ID           ExactField[AppID]
	Name         TextField
	ClientID     TextField
	RedirectURIs ListField[string]
	GrantTypes   ListField[string]
	Scopes       ListField[string]
	UserID       ExactField[UserID]
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newAppPaths(prefix string) AppPaths {
	return AppPaths{
		ID:           ExactField[AppID](prefix + "id"),
		Name:         TextField(prefix + "name"),
		ClientID:     TextField(prefix + "client_id"),
		RedirectURIs: ListField[string](prefix + "redirect_uris"),
		GrantTypes:   ListField[string](prefix + "grant_types"),
		Scopes:       ListField[string](prefix + "scopes"),
		UserID:       ExactField[UserID](prefix + "user_id"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// AppFields names what a search for apps can ask for: their own fields, and those of the records that they refer to.
var AppFields = struct {
	AppPaths
	User          UserPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	AppPaths:      newAppPaths(""),
	User:          newUserPaths("user."),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
}

// ViewPaths are the names of the fields of a view.
type ViewPaths struct {
	ID           ExactField[ViewID]
	Name         TextField
	Resource     ExactField[ViewResource]
	Search       ObjectField
	Layout       ExactField[ViewLayout]
	Columns      ListField[string]
	GroupBy      TextField
	Position     RangeField[int64]
	Shared       ExactField[bool]
	Missing      ListField[string]
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newViewPaths(prefix string) ViewPaths {
	return ViewPaths{
		ID:           ExactField[ViewID](prefix + "id"),
		Name:         TextField(prefix + "name"),
		Resource:     ExactField[ViewResource](prefix + "resource"),
		Search:       ObjectField(prefix + "search"),
		Layout:       ExactField[ViewLayout](prefix + "layout"),
		Columns:      ListField[string](prefix + "columns"),
		GroupBy:      TextField(prefix + "group_by"),
		Position:     RangeField[int64](prefix + "position"),
		Shared:       ExactField[bool](prefix + "shared"),
		Missing:      ListField[string](prefix + "missing"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// ViewFields names what a search for views can ask for: their own fields, and those of the records that they refer to.
var ViewFields = struct {
	ViewPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	ViewPaths:     newViewPaths(""),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
}

// ReportPaths are the names of the fields of a report.
type ReportPaths struct {
	ID           ExactField[ReportID]
	Name         TextField
	Resource     ExactField[ReportResource]
	Aggregate    ObjectField
	Chart        ExactField[ReportChart]
	Position     RangeField[int64]
	Shared       ExactField[bool]
	Missing      ListField[string]
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newReportPaths(prefix string) ReportPaths {
	return ReportPaths{
		ID:           ExactField[ReportID](prefix + "id"),
		Name:         TextField(prefix + "name"),
		Resource:     ExactField[ReportResource](prefix + "resource"),
		Aggregate:    ObjectField(prefix + "aggregate"),
		Chart:        ExactField[ReportChart](prefix + "chart"),
		Position:     RangeField[int64](prefix + "position"),
		Shared:       ExactField[bool](prefix + "shared"),
		Missing:      ListField[string](prefix + "missing"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// ReportFields names what a search for reports can ask for: their own fields, and those of the records that they refer to.
var ReportFields = struct {
	ReportPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	ReportPaths:   newReportPaths(""),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
}

// FollowPaths are the names of the fields of a follow.
type FollowPaths struct {
	ID           ExactField[FollowID]
	AboutID      TextField
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newFollowPaths(prefix string) FollowPaths {
	return FollowPaths{
		ID:           ExactField[FollowID](prefix + "id"),
		AboutID:      TextField(prefix + "about_id"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// FollowFields names what a search for follows can ask for: their own fields, and those of the records that they refer to.
var FollowFields = struct {
	FollowPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	FollowPaths:   newFollowPaths(""),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
}

// NotificationPaths are the names of the fields of a notification.
type NotificationPaths struct {
	ID           ExactField[NotificationID]
	Kind         ExactField[NotificationKind]
	AboutID      TextField
	JobID        TextField
	Event        TextField
	ActorID      ExactField[UserID]
	Text         TextField
	At           RangeField[time.Time]
	ReadAt       RangeField[time.Time]
	SnoozedUntil RangeField[time.Time]
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newNotificationPaths(prefix string) NotificationPaths {
	return NotificationPaths{
		ID:           ExactField[NotificationID](prefix + "id"),
		Kind:         ExactField[NotificationKind](prefix + "kind"),
		AboutID:      TextField(prefix + "about_id"),
		JobID:        TextField(prefix + "job_id"),
		Event:        TextField(prefix + "event"),
		ActorID:      ExactField[UserID](prefix + "actor_id"),
		Text:         TextField(prefix + "text"),
		At:           RangeField[time.Time](prefix + "at"),
		ReadAt:       RangeField[time.Time](prefix + "read_at"),
		SnoozedUntil: RangeField[time.Time](prefix + "snoozed_until"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// NotificationFields names what a search for notifications can ask for: their own fields, and those of the records that they refer to.
var NotificationFields = struct {
	NotificationPaths
	Actor         UserPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	NotificationPaths: newNotificationPaths(""),
	Actor:             newUserPaths("actor."),
	Owner:             newUserPaths("owner."),
	CreatedByUser:     newUserPaths("created_by."),
	UpdatedByUser:     newUserPaths("updated_by."),
}

// CustomFieldPaths are the names of the fields of a field.
type CustomFieldPaths struct {
	ID           ExactField[CustomFieldID]
	Resource     ExactField[CustomFieldResource]
	Name         TextField
	Label        TextField
	Kind         ExactField[CustomFieldKind]
	Target       ExactField[CustomFieldTarget]
	Options      ObjectField
	ReplaceWith  ObjectField
	Required     ExactField[bool]
	Indexed      ExactField[bool]
	Unique       ExactField[bool]
	IndexStatus  ExactField[CustomFieldIndexStatus]
	Searchable   ExactField[bool]
	Default      ObjectField
	Help         TextField
	Position     RangeField[int64]
	Number       RangeField[int64]
	OwnerID      ExactField[UserID]
	ExternalID   TextField
	Tags         ListField[string]
	CustomFields ObjectField
	CreatedAt    RangeField[time.Time]
	CreatedBy    ExactField[UserID]
	UpdatedAt    RangeField[time.Time]
	UpdatedBy    ExactField[UserID]
	Version      RangeField[int64]
	DeletedAt    RangeField[time.Time]
}

func newCustomFieldPaths(prefix string) CustomFieldPaths {
	return CustomFieldPaths{
		ID:           ExactField[CustomFieldID](prefix + "id"),
		Resource:     ExactField[CustomFieldResource](prefix + "resource"),
		Name:         TextField(prefix + "name"),
		Label:        TextField(prefix + "label"),
		Kind:         ExactField[CustomFieldKind](prefix + "kind"),
		Target:       ExactField[CustomFieldTarget](prefix + "target"),
		Options:      ObjectField(prefix + "options"),
		ReplaceWith:  ObjectField(prefix + "replace_with"),
		Required:     ExactField[bool](prefix + "required"),
		Indexed:      ExactField[bool](prefix + "indexed"),
		Unique:       ExactField[bool](prefix + "unique"),
		IndexStatus:  ExactField[CustomFieldIndexStatus](prefix + "index_status"),
		Searchable:   ExactField[bool](prefix + "searchable"),
		Default:      ObjectField(prefix + "default"),
		Help:         TextField(prefix + "help"),
		Position:     RangeField[int64](prefix + "position"),
		Number:       RangeField[int64](prefix + "number"),
		OwnerID:      ExactField[UserID](prefix + "owner_id"),
		ExternalID:   TextField(prefix + "external_id"),
		Tags:         ListField[string](prefix + "tags"),
		CustomFields: ObjectField(prefix + "custom_fields"),
		CreatedAt:    RangeField[time.Time](prefix + "created_at"),
		CreatedBy:    ExactField[UserID](prefix + "created_by"),
		UpdatedAt:    RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:    ExactField[UserID](prefix + "updated_by"),
		Version:      RangeField[int64](prefix + "version"),
		DeletedAt:    RangeField[time.Time](prefix + "deleted_at"),
	}
}

// CustomFieldFields names what a search for fields can ask for: their own fields, and those of the records that they refer to.
var CustomFieldFields = struct {
	CustomFieldPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	CustomFieldPaths: newCustomFieldPaths(""),
	Owner:            newUserPaths("owner."),
	CreatedByUser:    newUserPaths("created_by."),
	UpdatedByUser:    newUserPaths("updated_by."),
}

// WebhookPaths are the names of the fields of a webhook.
type WebhookPaths struct {
	ID             ExactField[WebhookID]
	Name           TextField
	URL            TextField
	Events         ListField[string]
	Filters        ObjectField
	Status         ExactField[WebhookStatus]
	DisabledAt     RangeField[time.Time]
	DisabledReason TextField
	UserID         ExactField[UserID]
	OwnerID        ExactField[UserID]
	ExternalID     TextField
	Tags           ListField[string]
	CustomFields   ObjectField
	CreatedAt      RangeField[time.Time]
	CreatedBy      ExactField[UserID]
	UpdatedAt      RangeField[time.Time]
	UpdatedBy      ExactField[UserID]
	Version        RangeField[int64]
	DeletedAt      RangeField[time.Time]
}

func newWebhookPaths(prefix string) WebhookPaths {
	return WebhookPaths{
		ID:             ExactField[WebhookID](prefix + "id"),
		Name:           TextField(prefix + "name"),
		URL:            TextField(prefix + "url"),
		Events:         ListField[string](prefix + "events"),
		Filters:        ObjectField(prefix + "filters"),
		Status:         ExactField[WebhookStatus](prefix + "status"),
		DisabledAt:     RangeField[time.Time](prefix + "disabled_at"),
		DisabledReason: TextField(prefix + "disabled_reason"),
		UserID:         ExactField[UserID](prefix + "user_id"),
		OwnerID:        ExactField[UserID](prefix + "owner_id"),
		ExternalID:     TextField(prefix + "external_id"),
		Tags:           ListField[string](prefix + "tags"),
		CustomFields:   ObjectField(prefix + "custom_fields"),
		CreatedAt:      RangeField[time.Time](prefix + "created_at"),
		CreatedBy:      ExactField[UserID](prefix + "created_by"),
		UpdatedAt:      RangeField[time.Time](prefix + "updated_at"),
		UpdatedBy:      ExactField[UserID](prefix + "updated_by"),
		Version:        RangeField[int64](prefix + "version"),
		DeletedAt:      RangeField[time.Time](prefix + "deleted_at"),
	}
}

// WebhookFields names what a search for webhooks can ask for: their own fields, and those of the records that they refer to.
var WebhookFields = struct {
	WebhookPaths
	User          UserPaths
	Owner         UserPaths
	CreatedByUser UserPaths
	UpdatedByUser UserPaths
}{
	WebhookPaths:  newWebhookPaths(""),
	User:          newUserPaths("user."),
	Owner:         newUserPaths("owner."),
	CreatedByUser: newUserPaths("created_by."),
	UpdatedByUser: newUserPaths("updated_by."),
}

// AuditPaths are the names of the fields of a line of the audit log.
type AuditPaths struct {
	ID        ExactField[AuditID]
	Seq       RangeField[int64]
	CreatedAt RangeField[time.Time]
	Action    ExactField[AuditAction]
	Actor     ExactField[AuditActor]
	UserID    ExactField[UserID]
	TokenID   ExactField[TokenID]
	AppID     TextField
	Resource  ExactField[AuditResource]
	RecordID  TextField
	Fields    ListField[string]
	Count     RangeField[int64]
	Address   TextField
	RequestID TextField
	Hash      TextField
}

func newAuditPaths(prefix string) AuditPaths {
	return AuditPaths{
		ID:        ExactField[AuditID](prefix + "id"),
		Seq:       RangeField[int64](prefix + "seq"),
		CreatedAt: RangeField[time.Time](prefix + "created_at"),
		Action:    ExactField[AuditAction](prefix + "action"),
		Actor:     ExactField[AuditActor](prefix + "actor"),
		UserID:    ExactField[UserID](prefix + "user_id"),
		TokenID:   ExactField[TokenID](prefix + "token_id"),
		AppID:     TextField(prefix + "app_id"),
		Resource:  ExactField[AuditResource](prefix + "resource"),
		RecordID:  TextField(prefix + "record_id"),
		Fields:    ListField[string](prefix + "fields"),
		Count:     RangeField[int64](prefix + "count"),
		Address:   TextField(prefix + "address"),
		RequestID: TextField(prefix + "request_id"),
		Hash:      TextField(prefix + "hash"),
	}
}

// AuditFields names what a search of the audit log can ask for.
var AuditFields = newAuditPaths("")
