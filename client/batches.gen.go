// Code generated from the declarations by cmd/docs; DO NOT EDIT.

package client

import "context"

// ContactBatch collects up to 100 writes of contacts, to be sent together.
type ContactBatch struct{ batch batch[Contact] }

// Batch begins a batch.
func (s Contacts) Batch() *ContactBatch { return &ContactBatch{batch[Contact]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *ContactBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Contact], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *ContactBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Contact], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a contact.
func (b *ContactBatch) Create(in ContactInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a contact.
func (b *ContactBatch) Update(id ContactID, in ContactInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the contact that has the same value in a field, or makes one.
func (b *ContactBatch) Upsert(by ContactMatch, in ContactInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a contact.
func (b *ContactBatch) Delete(id ContactID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a contact back from the bin.
func (b *ContactBatch) Restore(id ContactID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// Merge is the action. Makes another contact a part of this one, with everything that refers to it.
func (b *ContactBatch) Merge(id ContactID, in ContactMergeInput) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "merge", Data: in})
}

// Unmerge is the action. Takes a merge back, as far as nothing has changed since.
func (b *ContactBatch) Unmerge(id ContactID, in ContactUnmergeInput) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "unmerge", Data: in})
}

// CompanyBatch collects up to 100 writes of companies, to be sent together.
type CompanyBatch struct{ batch batch[Company] }

// Batch begins a batch.
func (s Companies) Batch() *CompanyBatch { return &CompanyBatch{batch[Company]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *CompanyBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Company], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *CompanyBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Company], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a company.
func (b *CompanyBatch) Create(in CompanyInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a company.
func (b *CompanyBatch) Update(id CompanyID, in CompanyInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the company that has the same value in a field, or makes one.
func (b *CompanyBatch) Upsert(by CompanyMatch, in CompanyInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a company.
func (b *CompanyBatch) Delete(id CompanyID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a company back from the bin.
func (b *CompanyBatch) Restore(id CompanyID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// Merge is the action. Makes another company a part of this one, with everything that refers to it.
func (b *CompanyBatch) Merge(id CompanyID, in CompanyMergeInput) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "merge", Data: in})
}

// Unmerge is the action. Takes a merge back, as far as nothing has changed since.
func (b *CompanyBatch) Unmerge(id CompanyID, in CompanyUnmergeInput) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "unmerge", Data: in})
}

// DealBatch collects up to 100 writes of deals, to be sent together.
type DealBatch struct{ batch batch[Deal] }

// Batch begins a batch.
func (s Deals) Batch() *DealBatch { return &DealBatch{batch[Deal]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *DealBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Deal], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *DealBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Deal], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a deal.
func (b *DealBatch) Create(in DealInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a deal.
func (b *DealBatch) Update(id DealID, in DealInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the deal that has the same value in a field, or makes one.
func (b *DealBatch) Upsert(by DealMatch, in DealInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a deal.
func (b *DealBatch) Delete(id DealID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a deal back from the bin.
func (b *DealBatch) Restore(id DealID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// ChangeStage is the action. Moves the deal to a stage of any pipeline; a won or lost stage closes it.
func (b *DealBatch) ChangeStage(id DealID, in DealChangeStageInput) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "change_stage", Data: in})
}

// Win is the action. Closes the deal in its pipeline's won stage.
func (b *DealBatch) Win(id DealID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "win"})
}

// Lose is the action. Closes the deal in its pipeline's lost stage.
func (b *DealBatch) Lose(id DealID, in DealLoseInput) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "lose", Data: in})
}

// Reopen is the action. Takes a closed deal back to the open stage that it was in.
func (b *DealBatch) Reopen(id DealID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "reopen"})
}

// TaskBatch collects up to 100 writes of tasks, to be sent together.
type TaskBatch struct{ batch batch[Task] }

// Batch begins a batch.
func (s Tasks) Batch() *TaskBatch { return &TaskBatch{batch[Task]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *TaskBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Task], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *TaskBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Task], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a task.
func (b *TaskBatch) Create(in TaskInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a task.
func (b *TaskBatch) Update(id TaskID, in TaskInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the task that has the same value in a field, or makes one.
func (b *TaskBatch) Upsert(by TaskMatch, in TaskInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a task.
func (b *TaskBatch) Delete(id TaskID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a task back from the bin.
func (b *TaskBatch) Restore(id TaskID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// Complete is the action. Completes the task; completing it twice changes nothing.
func (b *TaskBatch) Complete(id TaskID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "complete"})
}

// Reopen is the action. Opens a completed or cancelled task again.
func (b *TaskBatch) Reopen(id TaskID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "reopen"})
}

// NoteBatch collects up to 100 writes of notes, to be sent together.
type NoteBatch struct{ batch batch[Note] }

// Batch begins a batch.
func (s Notes) Batch() *NoteBatch { return &NoteBatch{batch[Note]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *NoteBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Note], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *NoteBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Note], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a note.
func (b *NoteBatch) Create(in NoteInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a note.
func (b *NoteBatch) Update(id NoteID, in NoteInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the note that has the same value in a field, or makes one.
func (b *NoteBatch) Upsert(by NoteMatch, in NoteInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a note.
func (b *NoteBatch) Delete(id NoteID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a note back from the bin.
func (b *NoteBatch) Restore(id NoteID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// Pin is the action. Pins the note; pinning it twice changes nothing.
func (b *NoteBatch) Pin(id NoteID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "pin"})
}

// Unpin is the action. Takes the pin off.
func (b *NoteBatch) Unpin(id NoteID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "unpin"})
}

// ActivityBatch collects up to 100 writes of activities, to be sent together.
type ActivityBatch struct{ batch batch[Activity] }

// Batch begins a batch.
func (s Activities) Batch() *ActivityBatch { return &ActivityBatch{batch[Activity]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *ActivityBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Activity], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *ActivityBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Activity], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes an activity.
func (b *ActivityBatch) Create(in ActivityInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of an activity.
func (b *ActivityBatch) Update(id ActivityID, in ActivityInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the activity that has the same value in a field, or makes one.
func (b *ActivityBatch) Upsert(by ActivityMatch, in ActivityInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes an activity.
func (b *ActivityBatch) Delete(id ActivityID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes an activity back from the bin.
func (b *ActivityBatch) Restore(id ActivityID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// ProductBatch collects up to 100 writes of products, to be sent together.
type ProductBatch struct{ batch batch[Product] }

// Batch begins a batch.
func (s Products) Batch() *ProductBatch { return &ProductBatch{batch[Product]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *ProductBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Product], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *ProductBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Product], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a product.
func (b *ProductBatch) Create(in ProductInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a product.
func (b *ProductBatch) Update(id ProductID, in ProductInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the product that has the same value in a field, or makes one.
func (b *ProductBatch) Upsert(by ProductMatch, in ProductInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a product.
func (b *ProductBatch) Delete(id ProductID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a product back from the bin.
func (b *ProductBatch) Restore(id ProductID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// QuoteBatch collects up to 100 writes of quotes, to be sent together.
type QuoteBatch struct{ batch batch[Quote] }

// Batch begins a batch.
func (s Quotes) Batch() *QuoteBatch { return &QuoteBatch{batch[Quote]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *QuoteBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Quote], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *QuoteBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Quote], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a quote.
func (b *QuoteBatch) Create(in QuoteInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a quote.
func (b *QuoteBatch) Update(id QuoteID, in QuoteInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the quote that has the same value in a field, or makes one.
func (b *QuoteBatch) Upsert(by QuoteMatch, in QuoteInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a quote.
func (b *QuoteBatch) Delete(id QuoteID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a quote back from the bin.
func (b *QuoteBatch) Restore(id QuoteID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// Send is the action. Freezes the quote, which must have a line and a contact or company.
func (b *QuoteBatch) Send(id QuoteID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "send"})
}

// Accept is the action. Notes that the customer accepted.
func (b *QuoteBatch) Accept(id QuoteID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "accept"})
}

// Decline is the action. Notes that the customer declined.
func (b *QuoteBatch) Decline(id QuoteID, in QuoteDeclineInput) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "decline", Data: in})
}

// Share is the action. Makes the link by which the customer of a sent quote reads and answers it, and ends the one before. Its path is answered once, as link.
func (b *QuoteBatch) Share(id QuoteID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "share"})
}

// Unshare is the action. Ends the link of the customer.
func (b *QuoteBatch) Unshare(id QuoteID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "unshare"})
}

// Revise is the action. Copies the quote into a new draft, which is the answer. The link of a quote that is not answered ends.
func (b *QuoteBatch) Revise(id QuoteID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "revise"})
}

// AssociationBatch collects up to 100 writes of associations, to be sent together.
type AssociationBatch struct{ batch batch[Association] }

// Batch begins a batch.
func (s Associations) Batch() *AssociationBatch {
	return &AssociationBatch{batch[Association]{calls: s.calls}}
}

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *AssociationBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Association], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *AssociationBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Association], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes an association.
func (b *AssociationBatch) Create(in AssociationInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of an association.
func (b *AssociationBatch) Update(id AssociationID, in AssociationInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the association that has the same value in a field, or makes one.
func (b *AssociationBatch) Upsert(by AssociationMatch, in AssociationInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes an association.
func (b *AssociationBatch) Delete(id AssociationID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes an association back from the bin.
func (b *AssociationBatch) Restore(id AssociationID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// PipelineBatch collects up to 100 writes of pipelines, to be sent together.
type PipelineBatch struct{ batch batch[Pipeline] }

// Batch begins a batch.
func (s Pipelines) Batch() *PipelineBatch { return &PipelineBatch{batch[Pipeline]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *PipelineBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Pipeline], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *PipelineBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Pipeline], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a pipeline.
func (b *PipelineBatch) Create(in PipelineInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a pipeline.
func (b *PipelineBatch) Update(id PipelineID, in PipelineInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the pipeline that has the same value in a field, or makes one.
func (b *PipelineBatch) Upsert(by PipelineMatch, in PipelineInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a pipeline.
func (b *PipelineBatch) Delete(id PipelineID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a pipeline back from the bin.
func (b *PipelineBatch) Restore(id PipelineID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// LifecycleStageBatch collects up to 100 writes of lifecycle stages, to be sent together.
type LifecycleStageBatch struct{ batch batch[LifecycleStage] }

// Batch begins a batch.
func (s LifecycleStages) Batch() *LifecycleStageBatch {
	return &LifecycleStageBatch{batch[LifecycleStage]{calls: s.calls}}
}

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *LifecycleStageBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[LifecycleStage], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *LifecycleStageBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[LifecycleStage], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a lifecycle stage.
func (b *LifecycleStageBatch) Create(in LifecycleStageInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a lifecycle stage.
func (b *LifecycleStageBatch) Update(id LifecycleStageID, in LifecycleStageInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the lifecycle stage that has the same value in a field, or makes one.
func (b *LifecycleStageBatch) Upsert(by LifecycleStageMatch, in LifecycleStageInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a lifecycle stage.
func (b *LifecycleStageBatch) Delete(id LifecycleStageID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a lifecycle stage back from the bin.
func (b *LifecycleStageBatch) Restore(id LifecycleStageID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// LossReasonBatch collects up to 100 writes of loss reasons, to be sent together.
type LossReasonBatch struct{ batch batch[LossReason] }

// Batch begins a batch.
func (s LossReasons) Batch() *LossReasonBatch {
	return &LossReasonBatch{batch[LossReason]{calls: s.calls}}
}

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *LossReasonBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[LossReason], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *LossReasonBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[LossReason], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a loss reason.
func (b *LossReasonBatch) Create(in LossReasonInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a loss reason.
func (b *LossReasonBatch) Update(id LossReasonID, in LossReasonInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the loss reason that has the same value in a field, or makes one.
func (b *LossReasonBatch) Upsert(by LossReasonMatch, in LossReasonInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a loss reason.
func (b *LossReasonBatch) Delete(id LossReasonID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a loss reason back from the bin.
func (b *LossReasonBatch) Restore(id LossReasonID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// UserBatch collects up to 100 writes of users, to be sent together.
type UserBatch struct{ batch batch[User] }

// Batch begins a batch.
func (s Users) Batch() *UserBatch { return &UserBatch{batch[User]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *UserBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[User], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *UserBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[User], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a user.
func (b *UserBatch) Create(in UserInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a user.
func (b *UserBatch) Update(id UserID, in UserInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the user that has the same value in a field, or makes one.
func (b *UserBatch) Upsert(by UserMatch, in UserInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a user.
func (b *UserBatch) Delete(id UserID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a user back from the bin.
func (b *UserBatch) Restore(id UserID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// RoleBatch collects up to 100 writes of roles, to be sent together.
type RoleBatch struct{ batch batch[Role] }

// Batch begins a batch.
func (s Roles) Batch() *RoleBatch { return &RoleBatch{batch[Role]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *RoleBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Role], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *RoleBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Role], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a role.
func (b *RoleBatch) Create(in RoleInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a role.
func (b *RoleBatch) Update(id RoleID, in RoleInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the role that has the same value in a field, or makes one.
func (b *RoleBatch) Upsert(by RoleMatch, in RoleInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a role.
func (b *RoleBatch) Delete(id RoleID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a role back from the bin.
func (b *RoleBatch) Restore(id RoleID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// TokenBatch collects up to 100 writes of tokens, to be sent together.
type TokenBatch struct{ batch batch[Token] }

// Batch begins a batch.
func (s Tokens) Batch() *TokenBatch { return &TokenBatch{batch[Token]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *TokenBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Token], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *TokenBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Token], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a token.
func (b *TokenBatch) Create(in TokenInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Delete deletes a token.
func (b *TokenBatch) Delete(id TokenID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// AppBatch collects up to 100 writes of apps, to be sent together.
type AppBatch struct{ batch batch[App] }

// Batch begins a batch.
func (s Apps) Batch() *AppBatch { return &AppBatch{batch[App]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *AppBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[App], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *AppBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[App], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes an app.
func (b *AppBatch) Create(in AppInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of an app.
func (b *AppBatch) Update(id AppID, in AppInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the app that has the same value in a field, or makes one.
func (b *AppBatch) Upsert(by AppMatch, in AppInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes an app.
func (b *AppBatch) Delete(id AppID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// RotateSecret is the action. Replaces the client secret; the new one is answered once.
func (b *AppBatch) RotateSecret(id AppID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "rotate_secret"})
}

// ViewBatch collects up to 100 writes of views, to be sent together.
type ViewBatch struct{ batch batch[View] }

// Batch begins a batch.
func (s Views) Batch() *ViewBatch { return &ViewBatch{batch[View]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *ViewBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[View], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *ViewBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[View], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a view.
func (b *ViewBatch) Create(in ViewInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a view.
func (b *ViewBatch) Update(id ViewID, in ViewInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the view that has the same value in a field, or makes one.
func (b *ViewBatch) Upsert(by ViewMatch, in ViewInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a view.
func (b *ViewBatch) Delete(id ViewID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a view back from the bin.
func (b *ViewBatch) Restore(id ViewID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// ReportBatch collects up to 100 writes of reports, to be sent together.
type ReportBatch struct{ batch batch[Report] }

// Batch begins a batch.
func (s Reports) Batch() *ReportBatch { return &ReportBatch{batch[Report]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *ReportBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Report], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *ReportBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Report], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a report.
func (b *ReportBatch) Create(in ReportInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a report.
func (b *ReportBatch) Update(id ReportID, in ReportInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the report that has the same value in a field, or makes one.
func (b *ReportBatch) Upsert(by ReportMatch, in ReportInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a report.
func (b *ReportBatch) Delete(id ReportID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a report back from the bin.
func (b *ReportBatch) Restore(id ReportID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// FollowBatch collects up to 100 writes of follows, to be sent together.
type FollowBatch struct{ batch batch[Follow] }

// Batch begins a batch.
func (s Follows) Batch() *FollowBatch { return &FollowBatch{batch[Follow]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *FollowBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Follow], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *FollowBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Follow], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a follow.
func (b *FollowBatch) Create(in FollowInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a follow.
func (b *FollowBatch) Update(id FollowID, in FollowInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the follow that has the same value in a field, or makes one.
func (b *FollowBatch) Upsert(by FollowMatch, in FollowInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a follow.
func (b *FollowBatch) Delete(id FollowID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a follow back from the bin.
func (b *FollowBatch) Restore(id FollowID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// NotificationBatch collects up to 100 writes of notifications, to be sent together.
type NotificationBatch struct{ batch batch[Notification] }

// Batch begins a batch.
func (s Notifications) Batch() *NotificationBatch {
	return &NotificationBatch{batch[Notification]{calls: s.calls}}
}

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *NotificationBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Notification], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *NotificationBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Notification], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a notification.
func (b *NotificationBatch) Create(in NotificationInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a notification.
func (b *NotificationBatch) Update(id NotificationID, in NotificationInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the notification that has the same value in a field, or makes one.
func (b *NotificationBatch) Upsert(by NotificationMatch, in NotificationInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a notification.
func (b *NotificationBatch) Delete(id NotificationID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a notification back from the bin.
func (b *NotificationBatch) Restore(id NotificationID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// CustomFieldBatch collects up to 100 writes of fields, to be sent together.
type CustomFieldBatch struct{ batch batch[CustomField] }

// Batch begins a batch.
func (s CustomFields) Batch() *CustomFieldBatch {
	return &CustomFieldBatch{batch[CustomField]{calls: s.calls}}
}

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *CustomFieldBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[CustomField], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *CustomFieldBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[CustomField], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a field.
func (b *CustomFieldBatch) Create(in CustomFieldInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a field.
func (b *CustomFieldBatch) Update(id CustomFieldID, in CustomFieldInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the field that has the same value in a field, or makes one.
func (b *CustomFieldBatch) Upsert(by CustomFieldMatch, in CustomFieldInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a field.
func (b *CustomFieldBatch) Delete(id CustomFieldID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Restore takes a field back from the bin.
func (b *CustomFieldBatch) Restore(id CustomFieldID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "restore"})
}

// WebhookBatch collects up to 100 writes of webhooks, to be sent together.
type WebhookBatch struct{ batch batch[Webhook] }

// Batch begins a batch.
func (s Webhooks) Batch() *WebhookBatch { return &WebhookBatch{batch[Webhook]{calls: s.calls}} }

// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results tell.
func (b *WebhookBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[Webhook], error) {
	return b.batch.do(ctx, false, options)
}

// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the operation.
func (b *WebhookBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[Webhook], error) {
	return b.batch.do(ctx, true, options)
}

// Create makes a webhook.
func (b *WebhookBatch) Create(in WebhookInput) *Operation {
	return b.batch.add(operation{Op: "create", Data: in})
}

// Update changes what is said of a webhook.
func (b *WebhookBatch) Update(id WebhookID, in WebhookInput) *Operation {
	return b.batch.add(operation{Op: "update", ID: string(id), Data: in})
}

// Upsert changes the webhook that has the same value in a field, or makes one.
func (b *WebhookBatch) Upsert(by WebhookMatch, in WebhookInput) *Operation {
	return b.batch.add(operation{Op: "upsert", Match: string(by), Data: in})
}

// Delete deletes a webhook.
func (b *WebhookBatch) Delete(id WebhookID) *Operation {
	return b.batch.add(operation{Op: "delete", ID: string(id)})
}

// Test is the action. Sends the event webhook.test, in its turn. What came of it is among the deliveries.
func (b *WebhookBatch) Test(id WebhookID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "test"})
}

// RotateSecret is the action. Replaces the secret; the new one is answered once. What is sent within a day is signed with both.
func (b *WebhookBatch) RotateSecret(id WebhookID) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "rotate_secret"})
}

// Replay is the action. Sends the events of a range of the change log again, beside new ones; one range after the other.
func (b *WebhookBatch) Replay(id WebhookID, in WebhookReplayInput) *Operation {
	return b.batch.add(operation{Op: "act", ID: string(id), Action: "replay", Data: in})
}
