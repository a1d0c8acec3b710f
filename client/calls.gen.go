// Code generated from the declarations by cmd/docs; DO NOT EDIT.

package client

import (
	"context"
	"io"
	"iter"
)

// Client is a connection to a server on behalf of one user of one business. See [New].
type Client struct {
	Contacts        Contacts
	Companies       Companies
	Deals           Deals
	Tasks           Tasks
	Notes           Notes
	Activities      Activities
	Products        Products
	Quotes          Quotes
	Associations    Associations
	Pipelines       Pipelines
	LifecycleStages LifecycleStages
	LossReasons     LossReasons
	Users           Users
	Roles           Roles
	Tokens          Tokens
	Apps            Apps
	Views           Views
	Reports         Reports
	Follows         Follows
	Notifications   Notifications
	CustomFields    CustomFields
	Webhooks        Webhooks
	// Business is the business itself.
	Business OwnBusiness
	// Audit is the audit log of the business.
	Audit AuditLog
	// Jobs are what takes longer than a request.
	Jobs Jobs
	// Imports are files on their way in.
	Imports Imports

	core *core
}

func newClient(c *core) *Client {
	return &Client{
		Contacts:        Contacts{calls[Contact]{c, "/contacts"}},
		Companies:       Companies{calls[Company]{c, "/companies"}},
		Deals:           Deals{calls[Deal]{c, "/deals"}},
		Tasks:           Tasks{calls[Task]{c, "/tasks"}},
		Notes:           Notes{calls[Note]{c, "/notes"}},
		Activities:      Activities{calls[Activity]{c, "/activities"}},
		Products:        Products{calls[Product]{c, "/products"}},
		Quotes:          Quotes{calls[Quote]{c, "/quotes"}},
		Associations:    Associations{calls[Association]{c, "/associations"}},
		Pipelines:       Pipelines{calls[Pipeline]{c, "/pipelines"}},
		LifecycleStages: LifecycleStages{calls[LifecycleStage]{c, "/lifecycle_stages"}},
		LossReasons:     LossReasons{calls[LossReason]{c, "/loss_reasons"}},
		Users:           Users{calls[User]{c, "/users"}},
		Roles:           Roles{calls[Role]{c, "/roles"}},
		Tokens:          Tokens{calls[Token]{c, "/tokens"}},
		Apps:            Apps{calls[App]{c, "/apps"}},
		Views:           Views{calls[View]{c, "/views"}},
		Reports:         Reports{calls[Report]{c, "/reports"}},
		Follows:         Follows{calls[Follow]{c, "/follows"}},
		Notifications:   Notifications{calls[Notification]{c, "/notifications"}},
		CustomFields:    CustomFields{calls[CustomField]{c, "/fields"}},
		Webhooks:        Webhooks{calls[Webhook]{c, "/webhooks"}},
		Business:        OwnBusiness{calls[Business]{c, "/business"}},
		Audit:           AuditLog{calls[Audit]{c, "/audit"}},
		Jobs:            Jobs{calls[Job]{c, "/jobs"}},
		Imports:         Imports{calls[Import]{c, "/imports"}},
		core:            c,
	}
}

// Contacts are the contacts of the business; a [Client] has them as its field Contacts.
type Contacts struct{ calls[Contact] }

// Get reads a contact.
func (s Contacts) Get(ctx context.Context, id ContactID) (*Contact, error) {
	return s.get(ctx, string(id))
}

// Search finds contacts, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Contacts) Search(ctx context.Context, q Query) iter.Seq2[*Contact, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of contacts.
func (s Contacts) SearchPage(ctx context.Context, q Query) (*Page[Contact], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds contacts that were deleted, as Search does.
func (s Contacts) SearchBin(ctx context.Context, q Query) iter.Seq2[*Contact, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of contacts that were deleted.
func (s Contacts) SearchBinPage(ctx context.Context, q Query) (*Page[Contact], error) {
	return s.page(ctx, bin, q)
}

// Create makes a contact.
func (s Contacts) Create(ctx context.Context, in ContactInput, options ...WriteOption) (*Contact, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a contact, and nothing else.
func (s Contacts) Update(ctx context.Context, id ContactID, in ContactInput, options ...WriteOption) (*Contact, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the contact that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Contacts) Upsert(ctx context.Context, by ContactMatch, in ContactInput, options ...WriteOption) (*Contact, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a contact to the bin.
func (s Contacts) Delete(ctx context.Context, id ContactID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a contact back from the bin.
func (s Contacts) Restore(ctx context.Context, id ContactID, options ...WriteOption) (*Contact, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// Merge is the action. Makes another contact a part of this one, with everything that refers to it.
func (s Contacts) Merge(ctx context.Context, id ContactID, in ContactMergeInput, options ...WriteOption) (*Merged[Contact], error) {
	return merging[Merged[Contact]](ctx, s.calls, string(id), "merge", in, options)
}

// Unmerge is the action. Takes a merge back, as far as nothing has changed since.
func (s Contacts) Unmerge(ctx context.Context, id ContactID, in ContactUnmergeInput, options ...WriteOption) (*Unmerged[Contact], error) {
	return merging[Unmerged[Contact]](ctx, s.calls, string(id), "unmerge", in, options)
}

// History tells what happened to a contact, deleted or not, and fetches page after page as the loop goes on.
func (s Contacts) History(ctx context.Context, id ContactID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Contacts) HistoryPage(ctx context.Context, id ContactID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Timeline tells what happened around a contact: what others are about it, and its own changes. It fetches page after page as the loop goes on.
func (s Contacts) Timeline(ctx context.Context, id ContactID, q LogQuery) iter.Seq2[*Event, error] {
	return s.timeline(ctx, string(id), q)
}

// TimelinePage gives one page of the timeline.
func (s Contacts) TimelinePage(ctx context.Context, id ContactID, q LogQuery) (*Page[Event], error) {
	return s.timelinePage(ctx, string(id), q)
}

// Duplicates finds contacts that may be the same. It fetches page after page as the loop goes on.
func (s Contacts) Duplicates(ctx context.Context, q DuplicatesQuery) iter.Seq2[*Duplicate[Contact], error] {
	return s.duplicates(ctx, q)
}

// DuplicatesPage gives one page of duplicates.
func (s Contacts) DuplicatesPage(ctx context.Context, q DuplicatesQuery) (*Page[Duplicate[Contact]], error) {
	return s.duplicatesPage(ctx, q)
}

// DismissDuplicate says that two contacts are not the same.
func (s Contacts) DismissDuplicate(ctx context.Context, a, b ContactID, options ...WriteOption) error {
	return s.dismiss(ctx, string(a), string(b), options)
}

// Erase removes what is known of a contact for good. The reason stays in the change log.
func (s Contacts) Erase(ctx context.Context, id ContactID, reason string, options ...WriteOption) error {
	return s.erase(ctx, string(id), reason, options)
}

// Export takes contacts out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Contacts) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of contacts: how many there are, sums, averages, the least and the most, by group.
func (s Contacts) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// Bulk does one thing to all contacts that a search finds, by a job.
func (s Contacts) Bulk(ctx context.Context, b Bulk, options ...WriteOption) (*Job, error) {
	return s.bulk(ctx, b, options)
}

// PreviewBulk tells what a bulk operation would do.
func (s Contacts) PreviewBulk(ctx context.Context, b Bulk) (*BulkPreview, error) {
	return s.previewBulk(ctx, b)
}

// ContactMatch is a field by which an upsert finds a contact.
type ContactMatch string

// The fields by which an upsert finds a contact.
const (
	ContactByEmail      ContactMatch = "email"
	ContactByExternalID ContactMatch = "external_id"
)

// Companies are the companies of the business; a [Client] has them as its field Companies.
type Companies struct{ calls[Company] }

// Get reads a company.
func (s Companies) Get(ctx context.Context, id CompanyID) (*Company, error) {
	return s.get(ctx, string(id))
}

// Search finds companies, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Companies) Search(ctx context.Context, q Query) iter.Seq2[*Company, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of companies.
func (s Companies) SearchPage(ctx context.Context, q Query) (*Page[Company], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds companies that were deleted, as Search does.
func (s Companies) SearchBin(ctx context.Context, q Query) iter.Seq2[*Company, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of companies that were deleted.
func (s Companies) SearchBinPage(ctx context.Context, q Query) (*Page[Company], error) {
	return s.page(ctx, bin, q)
}

// Create makes a company.
func (s Companies) Create(ctx context.Context, in CompanyInput, options ...WriteOption) (*Company, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a company, and nothing else.
func (s Companies) Update(ctx context.Context, id CompanyID, in CompanyInput, options ...WriteOption) (*Company, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the company that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Companies) Upsert(ctx context.Context, by CompanyMatch, in CompanyInput, options ...WriteOption) (*Company, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a company to the bin.
func (s Companies) Delete(ctx context.Context, id CompanyID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a company back from the bin.
func (s Companies) Restore(ctx context.Context, id CompanyID, options ...WriteOption) (*Company, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// Merge is the action. Makes another company a part of this one, with everything that refers to it.
func (s Companies) Merge(ctx context.Context, id CompanyID, in CompanyMergeInput, options ...WriteOption) (*Merged[Company], error) {
	return merging[Merged[Company]](ctx, s.calls, string(id), "merge", in, options)
}

// Unmerge is the action. Takes a merge back, as far as nothing has changed since.
func (s Companies) Unmerge(ctx context.Context, id CompanyID, in CompanyUnmergeInput, options ...WriteOption) (*Unmerged[Company], error) {
	return merging[Unmerged[Company]](ctx, s.calls, string(id), "unmerge", in, options)
}

// History tells what happened to a company, deleted or not, and fetches page after page as the loop goes on.
func (s Companies) History(ctx context.Context, id CompanyID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Companies) HistoryPage(ctx context.Context, id CompanyID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Timeline tells what happened around a company: what others are about it, and its own changes. It fetches page after page as the loop goes on.
func (s Companies) Timeline(ctx context.Context, id CompanyID, q LogQuery) iter.Seq2[*Event, error] {
	return s.timeline(ctx, string(id), q)
}

// TimelinePage gives one page of the timeline.
func (s Companies) TimelinePage(ctx context.Context, id CompanyID, q LogQuery) (*Page[Event], error) {
	return s.timelinePage(ctx, string(id), q)
}

// Duplicates finds companies that may be the same. It fetches page after page as the loop goes on.
func (s Companies) Duplicates(ctx context.Context, q DuplicatesQuery) iter.Seq2[*Duplicate[Company], error] {
	return s.duplicates(ctx, q)
}

// DuplicatesPage gives one page of duplicates.
func (s Companies) DuplicatesPage(ctx context.Context, q DuplicatesQuery) (*Page[Duplicate[Company]], error) {
	return s.duplicatesPage(ctx, q)
}

// DismissDuplicate says that two companies are not the same.
func (s Companies) DismissDuplicate(ctx context.Context, a, b CompanyID, options ...WriteOption) error {
	return s.dismiss(ctx, string(a), string(b), options)
}

// Erase removes what is known of a company for good. The reason stays in the change log.
func (s Companies) Erase(ctx context.Context, id CompanyID, reason string, options ...WriteOption) error {
	return s.erase(ctx, string(id), reason, options)
}

// Export takes companies out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Companies) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of companies: how many there are, sums, averages, the least and the most, by group.
func (s Companies) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// Bulk does one thing to all companies that a search finds, by a job.
func (s Companies) Bulk(ctx context.Context, b Bulk, options ...WriteOption) (*Job, error) {
	return s.bulk(ctx, b, options)
}

// PreviewBulk tells what a bulk operation would do.
func (s Companies) PreviewBulk(ctx context.Context, b Bulk) (*BulkPreview, error) {
	return s.previewBulk(ctx, b)
}

// CompanyMatch is a field by which an upsert finds a company.
type CompanyMatch string

// The fields by which an upsert finds a company.
const (
	CompanyByDomain     CompanyMatch = "domain"
	CompanyByEmail      CompanyMatch = "email"
	CompanyByExternalID CompanyMatch = "external_id"
)

// Deals are the deals of the business; a [Client] has them as its field Deals.
type Deals struct{ calls[Deal] }

// Get reads a deal.
func (s Deals) Get(ctx context.Context, id DealID) (*Deal, error) {
	return s.get(ctx, string(id))
}

// Search finds deals, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Deals) Search(ctx context.Context, q Query) iter.Seq2[*Deal, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of deals.
func (s Deals) SearchPage(ctx context.Context, q Query) (*Page[Deal], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds deals that were deleted, as Search does.
func (s Deals) SearchBin(ctx context.Context, q Query) iter.Seq2[*Deal, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of deals that were deleted.
func (s Deals) SearchBinPage(ctx context.Context, q Query) (*Page[Deal], error) {
	return s.page(ctx, bin, q)
}

// Create makes a deal.
func (s Deals) Create(ctx context.Context, in DealInput, options ...WriteOption) (*Deal, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a deal, and nothing else.
func (s Deals) Update(ctx context.Context, id DealID, in DealInput, options ...WriteOption) (*Deal, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the deal that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Deals) Upsert(ctx context.Context, by DealMatch, in DealInput, options ...WriteOption) (*Deal, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a deal to the bin.
func (s Deals) Delete(ctx context.Context, id DealID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a deal back from the bin.
func (s Deals) Restore(ctx context.Context, id DealID, options ...WriteOption) (*Deal, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// ChangeStage is the action. Moves the deal to a stage of any pipeline; a won or lost stage closes it.
func (s Deals) ChangeStage(ctx context.Context, id DealID, in DealChangeStageInput, options ...WriteOption) (*Deal, error) {
	return s.act(ctx, string(id), "change_stage", in, options)
}

// Win is the action. Closes the deal in its pipeline's won stage.
func (s Deals) Win(ctx context.Context, id DealID, options ...WriteOption) (*Deal, error) {
	return s.act(ctx, string(id), "win", nil, options)
}

// Lose is the action. Closes the deal in its pipeline's lost stage.
func (s Deals) Lose(ctx context.Context, id DealID, in DealLoseInput, options ...WriteOption) (*Deal, error) {
	return s.act(ctx, string(id), "lose", in, options)
}

// Reopen is the action. Takes a closed deal back to the open stage that it was in.
func (s Deals) Reopen(ctx context.Context, id DealID, options ...WriteOption) (*Deal, error) {
	return s.act(ctx, string(id), "reopen", nil, options)
}

// History tells what happened to a deal, deleted or not, and fetches page after page as the loop goes on.
func (s Deals) History(ctx context.Context, id DealID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Deals) HistoryPage(ctx context.Context, id DealID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Timeline tells what happened around a deal: what others are about it, and its own changes. It fetches page after page as the loop goes on.
func (s Deals) Timeline(ctx context.Context, id DealID, q LogQuery) iter.Seq2[*Event, error] {
	return s.timeline(ctx, string(id), q)
}

// TimelinePage gives one page of the timeline.
func (s Deals) TimelinePage(ctx context.Context, id DealID, q LogQuery) (*Page[Event], error) {
	return s.timelinePage(ctx, string(id), q)
}

// Export takes deals out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Deals) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of deals: how many there are, sums, averages, the least and the most, by group.
func (s Deals) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// Bulk does one thing to all deals that a search finds, by a job.
func (s Deals) Bulk(ctx context.Context, b Bulk, options ...WriteOption) (*Job, error) {
	return s.bulk(ctx, b, options)
}

// PreviewBulk tells what a bulk operation would do.
func (s Deals) PreviewBulk(ctx context.Context, b Bulk) (*BulkPreview, error) {
	return s.previewBulk(ctx, b)
}

// DealMatch is a field by which an upsert finds a deal.
type DealMatch string

// The fields by which an upsert finds a deal.
const (
	DealByExternalID DealMatch = "external_id"
)

// Tasks are the tasks of the business; a [Client] has them as its field Tasks.
type Tasks struct{ calls[Task] }

// Get reads a task.
func (s Tasks) Get(ctx context.Context, id TaskID) (*Task, error) {
	return s.get(ctx, string(id))
}

// Search finds tasks, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Tasks) Search(ctx context.Context, q Query) iter.Seq2[*Task, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of tasks.
func (s Tasks) SearchPage(ctx context.Context, q Query) (*Page[Task], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds tasks that were deleted, as Search does.
func (s Tasks) SearchBin(ctx context.Context, q Query) iter.Seq2[*Task, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of tasks that were deleted.
func (s Tasks) SearchBinPage(ctx context.Context, q Query) (*Page[Task], error) {
	return s.page(ctx, bin, q)
}

// Create makes a task.
func (s Tasks) Create(ctx context.Context, in TaskInput, options ...WriteOption) (*Task, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a task, and nothing else.
func (s Tasks) Update(ctx context.Context, id TaskID, in TaskInput, options ...WriteOption) (*Task, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the task that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Tasks) Upsert(ctx context.Context, by TaskMatch, in TaskInput, options ...WriteOption) (*Task, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a task to the bin.
func (s Tasks) Delete(ctx context.Context, id TaskID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a task back from the bin.
func (s Tasks) Restore(ctx context.Context, id TaskID, options ...WriteOption) (*Task, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// Complete is the action. Completes the task; completing it twice changes nothing.
func (s Tasks) Complete(ctx context.Context, id TaskID, options ...WriteOption) (*Task, error) {
	return s.act(ctx, string(id), "complete", nil, options)
}

// Reopen is the action. Opens a completed or cancelled task again.
func (s Tasks) Reopen(ctx context.Context, id TaskID, options ...WriteOption) (*Task, error) {
	return s.act(ctx, string(id), "reopen", nil, options)
}

// History tells what happened to a task, deleted or not, and fetches page after page as the loop goes on.
func (s Tasks) History(ctx context.Context, id TaskID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Tasks) HistoryPage(ctx context.Context, id TaskID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes tasks out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Tasks) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of tasks: how many there are, sums, averages, the least and the most, by group.
func (s Tasks) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// Bulk does one thing to all tasks that a search finds, by a job.
func (s Tasks) Bulk(ctx context.Context, b Bulk, options ...WriteOption) (*Job, error) {
	return s.bulk(ctx, b, options)
}

// PreviewBulk tells what a bulk operation would do.
func (s Tasks) PreviewBulk(ctx context.Context, b Bulk) (*BulkPreview, error) {
	return s.previewBulk(ctx, b)
}

// TaskMatch is a field by which an upsert finds a task.
type TaskMatch string

// The fields by which an upsert finds a task.
const (
	TaskByExternalID TaskMatch = "external_id"
)

// Notes are the notes of the business; a [Client] has them as its field Notes.
type Notes struct{ calls[Note] }

// Get reads a note.
func (s Notes) Get(ctx context.Context, id NoteID) (*Note, error) {
	return s.get(ctx, string(id))
}

// Search finds notes, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Notes) Search(ctx context.Context, q Query) iter.Seq2[*Note, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of notes.
func (s Notes) SearchPage(ctx context.Context, q Query) (*Page[Note], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds notes that were deleted, as Search does.
func (s Notes) SearchBin(ctx context.Context, q Query) iter.Seq2[*Note, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of notes that were deleted.
func (s Notes) SearchBinPage(ctx context.Context, q Query) (*Page[Note], error) {
	return s.page(ctx, bin, q)
}

// Create makes a note.
func (s Notes) Create(ctx context.Context, in NoteInput, options ...WriteOption) (*Note, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a note, and nothing else.
func (s Notes) Update(ctx context.Context, id NoteID, in NoteInput, options ...WriteOption) (*Note, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the note that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Notes) Upsert(ctx context.Context, by NoteMatch, in NoteInput, options ...WriteOption) (*Note, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a note to the bin.
func (s Notes) Delete(ctx context.Context, id NoteID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a note back from the bin.
func (s Notes) Restore(ctx context.Context, id NoteID, options ...WriteOption) (*Note, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// Pin is the action. Pins the note; pinning it twice changes nothing.
func (s Notes) Pin(ctx context.Context, id NoteID, options ...WriteOption) (*Note, error) {
	return s.act(ctx, string(id), "pin", nil, options)
}

// Unpin is the action. Takes the pin off.
func (s Notes) Unpin(ctx context.Context, id NoteID, options ...WriteOption) (*Note, error) {
	return s.act(ctx, string(id), "unpin", nil, options)
}

// History tells what happened to a note, deleted or not, and fetches page after page as the loop goes on.
func (s Notes) History(ctx context.Context, id NoteID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Notes) HistoryPage(ctx context.Context, id NoteID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes notes out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Notes) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of notes: how many there are, sums, averages, the least and the most, by group.
func (s Notes) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// Bulk does one thing to all notes that a search finds, by a job.
func (s Notes) Bulk(ctx context.Context, b Bulk, options ...WriteOption) (*Job, error) {
	return s.bulk(ctx, b, options)
}

// PreviewBulk tells what a bulk operation would do.
func (s Notes) PreviewBulk(ctx context.Context, b Bulk) (*BulkPreview, error) {
	return s.previewBulk(ctx, b)
}

// NoteMatch is a field by which an upsert finds a note.
type NoteMatch string

// The fields by which an upsert finds a note.
const (
	NoteByExternalID NoteMatch = "external_id"
)

// Activities are the activities of the business; a [Client] has them as its field Activities.
type Activities struct{ calls[Activity] }

// Get reads an activity.
func (s Activities) Get(ctx context.Context, id ActivityID) (*Activity, error) {
	return s.get(ctx, string(id))
}

// Search finds activities, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Activities) Search(ctx context.Context, q Query) iter.Seq2[*Activity, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of activities.
func (s Activities) SearchPage(ctx context.Context, q Query) (*Page[Activity], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds activities that were deleted, as Search does.
func (s Activities) SearchBin(ctx context.Context, q Query) iter.Seq2[*Activity, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of activities that were deleted.
func (s Activities) SearchBinPage(ctx context.Context, q Query) (*Page[Activity], error) {
	return s.page(ctx, bin, q)
}

// Create makes an activity.
func (s Activities) Create(ctx context.Context, in ActivityInput, options ...WriteOption) (*Activity, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of an activity, and nothing else.
func (s Activities) Update(ctx context.Context, id ActivityID, in ActivityInput, options ...WriteOption) (*Activity, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the activity that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Activities) Upsert(ctx context.Context, by ActivityMatch, in ActivityInput, options ...WriteOption) (*Activity, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves an activity to the bin.
func (s Activities) Delete(ctx context.Context, id ActivityID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes an activity back from the bin.
func (s Activities) Restore(ctx context.Context, id ActivityID, options ...WriteOption) (*Activity, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to an activity, deleted or not, and fetches page after page as the loop goes on.
func (s Activities) History(ctx context.Context, id ActivityID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Activities) HistoryPage(ctx context.Context, id ActivityID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes activities out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Activities) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of activities: how many there are, sums, averages, the least and the most, by group.
func (s Activities) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// Bulk does one thing to all activities that a search finds, by a job.
func (s Activities) Bulk(ctx context.Context, b Bulk, options ...WriteOption) (*Job, error) {
	return s.bulk(ctx, b, options)
}

// PreviewBulk tells what a bulk operation would do.
func (s Activities) PreviewBulk(ctx context.Context, b Bulk) (*BulkPreview, error) {
	return s.previewBulk(ctx, b)
}

// ActivityMatch is a field by which an upsert finds an activity.
type ActivityMatch string

// The fields by which an upsert finds an activity.
const (
	ActivityByExternalID ActivityMatch = "external_id"
)

// Products are the products of the business; a [Client] has them as its field Products.
type Products struct{ calls[Product] }

// Get reads a product.
func (s Products) Get(ctx context.Context, id ProductID) (*Product, error) {
	return s.get(ctx, string(id))
}

// Search finds products, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Products) Search(ctx context.Context, q Query) iter.Seq2[*Product, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of products.
func (s Products) SearchPage(ctx context.Context, q Query) (*Page[Product], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds products that were deleted, as Search does.
func (s Products) SearchBin(ctx context.Context, q Query) iter.Seq2[*Product, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of products that were deleted.
func (s Products) SearchBinPage(ctx context.Context, q Query) (*Page[Product], error) {
	return s.page(ctx, bin, q)
}

// Create makes a product.
func (s Products) Create(ctx context.Context, in ProductInput, options ...WriteOption) (*Product, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a product, and nothing else.
func (s Products) Update(ctx context.Context, id ProductID, in ProductInput, options ...WriteOption) (*Product, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the product that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Products) Upsert(ctx context.Context, by ProductMatch, in ProductInput, options ...WriteOption) (*Product, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a product to the bin.
func (s Products) Delete(ctx context.Context, id ProductID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a product back from the bin.
func (s Products) Restore(ctx context.Context, id ProductID, options ...WriteOption) (*Product, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to a product, deleted or not, and fetches page after page as the loop goes on.
func (s Products) History(ctx context.Context, id ProductID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Products) HistoryPage(ctx context.Context, id ProductID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes products out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Products) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of products: how many there are, sums, averages, the least and the most, by group.
func (s Products) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// Bulk does one thing to all products that a search finds, by a job.
func (s Products) Bulk(ctx context.Context, b Bulk, options ...WriteOption) (*Job, error) {
	return s.bulk(ctx, b, options)
}

// PreviewBulk tells what a bulk operation would do.
func (s Products) PreviewBulk(ctx context.Context, b Bulk) (*BulkPreview, error) {
	return s.previewBulk(ctx, b)
}

// ProductMatch is a field by which an upsert finds a product.
type ProductMatch string

// The fields by which an upsert finds a product.
const (
	ProductBySKU        ProductMatch = "sku"
	ProductByExternalID ProductMatch = "external_id"
)

// Quotes are the quotes of the business; a [Client] has them as its field Quotes.
type Quotes struct{ calls[Quote] }

// Get reads a quote.
func (s Quotes) Get(ctx context.Context, id QuoteID) (*Quote, error) {
	return s.get(ctx, string(id))
}

// Search finds quotes, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Quotes) Search(ctx context.Context, q Query) iter.Seq2[*Quote, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of quotes.
func (s Quotes) SearchPage(ctx context.Context, q Query) (*Page[Quote], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds quotes that were deleted, as Search does.
func (s Quotes) SearchBin(ctx context.Context, q Query) iter.Seq2[*Quote, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of quotes that were deleted.
func (s Quotes) SearchBinPage(ctx context.Context, q Query) (*Page[Quote], error) {
	return s.page(ctx, bin, q)
}

// Create makes a quote.
func (s Quotes) Create(ctx context.Context, in QuoteInput, options ...WriteOption) (*Quote, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a quote, and nothing else.
func (s Quotes) Update(ctx context.Context, id QuoteID, in QuoteInput, options ...WriteOption) (*Quote, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the quote that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Quotes) Upsert(ctx context.Context, by QuoteMatch, in QuoteInput, options ...WriteOption) (*Quote, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a quote to the bin.
func (s Quotes) Delete(ctx context.Context, id QuoteID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a quote back from the bin.
func (s Quotes) Restore(ctx context.Context, id QuoteID, options ...WriteOption) (*Quote, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// Send is the action. Freezes the quote, which must have a line and a contact or company.
func (s Quotes) Send(ctx context.Context, id QuoteID, options ...WriteOption) (*Quote, error) {
	return s.act(ctx, string(id), "send", nil, options)
}

// Accept is the action. Notes that the customer accepted.
func (s Quotes) Accept(ctx context.Context, id QuoteID, options ...WriteOption) (*Quote, error) {
	return s.act(ctx, string(id), "accept", nil, options)
}

// Decline is the action. Notes that the customer declined.
func (s Quotes) Decline(ctx context.Context, id QuoteID, in QuoteDeclineInput, options ...WriteOption) (*Quote, error) {
	return s.act(ctx, string(id), "decline", in, options)
}

// Share is the action. Makes the link by which the customer of a sent quote reads and answers it, and ends the one before. Its path is answered once, as link.
func (s Quotes) Share(ctx context.Context, id QuoteID, options ...WriteOption) (*Quote, error) {
	return s.act(ctx, string(id), "share", nil, options)
}

// Unshare is the action. Ends the link of the customer.
func (s Quotes) Unshare(ctx context.Context, id QuoteID, options ...WriteOption) (*Quote, error) {
	return s.act(ctx, string(id), "unshare", nil, options)
}

// Revise is the action. Copies the quote into a new draft, which is the answer. The link of a quote that is not answered ends.
func (s Quotes) Revise(ctx context.Context, id QuoteID, options ...WriteOption) (*Quote, error) {
	return s.act(ctx, string(id), "revise", nil, options)
}

// History tells what happened to a quote, deleted or not, and fetches page after page as the loop goes on.
func (s Quotes) History(ctx context.Context, id QuoteID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Quotes) HistoryPage(ctx context.Context, id QuoteID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes quotes out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Quotes) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of quotes: how many there are, sums, averages, the least and the most, by group.
func (s Quotes) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// Bulk does one thing to all quotes that a search finds, by a job.
func (s Quotes) Bulk(ctx context.Context, b Bulk, options ...WriteOption) (*Job, error) {
	return s.bulk(ctx, b, options)
}

// PreviewBulk tells what a bulk operation would do.
func (s Quotes) PreviewBulk(ctx context.Context, b Bulk) (*BulkPreview, error) {
	return s.previewBulk(ctx, b)
}

// QuoteMatch is a field by which an upsert finds a quote.
type QuoteMatch string

// The fields by which an upsert finds a quote.
const (
	QuoteByExternalID QuoteMatch = "external_id"
)

// Associations are the associations of the business; a [Client] has them as its field Associations.
type Associations struct{ calls[Association] }

// Get reads an association.
func (s Associations) Get(ctx context.Context, id AssociationID) (*Association, error) {
	return s.get(ctx, string(id))
}

// Search finds associations, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Associations) Search(ctx context.Context, q Query) iter.Seq2[*Association, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of associations.
func (s Associations) SearchPage(ctx context.Context, q Query) (*Page[Association], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds associations that were deleted, as Search does.
func (s Associations) SearchBin(ctx context.Context, q Query) iter.Seq2[*Association, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of associations that were deleted.
func (s Associations) SearchBinPage(ctx context.Context, q Query) (*Page[Association], error) {
	return s.page(ctx, bin, q)
}

// Create makes an association.
func (s Associations) Create(ctx context.Context, in AssociationInput, options ...WriteOption) (*Association, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of an association, and nothing else.
func (s Associations) Update(ctx context.Context, id AssociationID, in AssociationInput, options ...WriteOption) (*Association, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the association that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Associations) Upsert(ctx context.Context, by AssociationMatch, in AssociationInput, options ...WriteOption) (*Association, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves an association to the bin.
func (s Associations) Delete(ctx context.Context, id AssociationID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes an association back from the bin.
func (s Associations) Restore(ctx context.Context, id AssociationID, options ...WriteOption) (*Association, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to an association, deleted or not, and fetches page after page as the loop goes on.
func (s Associations) History(ctx context.Context, id AssociationID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Associations) HistoryPage(ctx context.Context, id AssociationID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes associations out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Associations) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of associations: how many there are, sums, averages, the least and the most, by group.
func (s Associations) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// Bulk does one thing to all associations that a search finds, by a job.
func (s Associations) Bulk(ctx context.Context, b Bulk, options ...WriteOption) (*Job, error) {
	return s.bulk(ctx, b, options)
}

// PreviewBulk tells what a bulk operation would do.
func (s Associations) PreviewBulk(ctx context.Context, b Bulk) (*BulkPreview, error) {
	return s.previewBulk(ctx, b)
}

// AssociationMatch is a field by which an upsert finds an association.
type AssociationMatch string

// The fields by which an upsert finds an association.
const (
	AssociationByExternalID AssociationMatch = "external_id"
)

// Pipelines are the pipelines of the business; a [Client] has them as its field Pipelines.
type Pipelines struct{ calls[Pipeline] }

// Get reads a pipeline.
func (s Pipelines) Get(ctx context.Context, id PipelineID) (*Pipeline, error) {
	return s.get(ctx, string(id))
}

// Search finds pipelines, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Pipelines) Search(ctx context.Context, q Query) iter.Seq2[*Pipeline, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of pipelines.
func (s Pipelines) SearchPage(ctx context.Context, q Query) (*Page[Pipeline], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds pipelines that were deleted, as Search does.
func (s Pipelines) SearchBin(ctx context.Context, q Query) iter.Seq2[*Pipeline, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of pipelines that were deleted.
func (s Pipelines) SearchBinPage(ctx context.Context, q Query) (*Page[Pipeline], error) {
	return s.page(ctx, bin, q)
}

// Create makes a pipeline.
func (s Pipelines) Create(ctx context.Context, in PipelineInput, options ...WriteOption) (*Pipeline, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a pipeline, and nothing else.
func (s Pipelines) Update(ctx context.Context, id PipelineID, in PipelineInput, options ...WriteOption) (*Pipeline, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the pipeline that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Pipelines) Upsert(ctx context.Context, by PipelineMatch, in PipelineInput, options ...WriteOption) (*Pipeline, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a pipeline to the bin.
func (s Pipelines) Delete(ctx context.Context, id PipelineID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a pipeline back from the bin.
func (s Pipelines) Restore(ctx context.Context, id PipelineID, options ...WriteOption) (*Pipeline, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to a pipeline, deleted or not, and fetches page after page as the loop goes on.
func (s Pipelines) History(ctx context.Context, id PipelineID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Pipelines) HistoryPage(ctx context.Context, id PipelineID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes pipelines out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Pipelines) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of pipelines: how many there are, sums, averages, the least and the most, by group.
func (s Pipelines) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// PipelineMatch is a field by which an upsert finds a pipeline.
type PipelineMatch string

// The fields by which an upsert finds a pipeline.
const (
	PipelineByExternalID PipelineMatch = "external_id"
)

// LifecycleStages are the lifecycle stages of the business; a [Client] has them as its field LifecycleStages.
type LifecycleStages struct{ calls[LifecycleStage] }

// Get reads a lifecycle stage.
func (s LifecycleStages) Get(ctx context.Context, id LifecycleStageID) (*LifecycleStage, error) {
	return s.get(ctx, string(id))
}

// Search finds lifecycle stages, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s LifecycleStages) Search(ctx context.Context, q Query) iter.Seq2[*LifecycleStage, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of lifecycle stages.
func (s LifecycleStages) SearchPage(ctx context.Context, q Query) (*Page[LifecycleStage], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds lifecycle stages that were deleted, as Search does.
func (s LifecycleStages) SearchBin(ctx context.Context, q Query) iter.Seq2[*LifecycleStage, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of lifecycle stages that were deleted.
func (s LifecycleStages) SearchBinPage(ctx context.Context, q Query) (*Page[LifecycleStage], error) {
	return s.page(ctx, bin, q)
}

// Create makes a lifecycle stage.
func (s LifecycleStages) Create(ctx context.Context, in LifecycleStageInput, options ...WriteOption) (*LifecycleStage, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a lifecycle stage, and nothing else.
func (s LifecycleStages) Update(ctx context.Context, id LifecycleStageID, in LifecycleStageInput, options ...WriteOption) (*LifecycleStage, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the lifecycle stage that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s LifecycleStages) Upsert(ctx context.Context, by LifecycleStageMatch, in LifecycleStageInput, options ...WriteOption) (*LifecycleStage, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a lifecycle stage to the bin.
func (s LifecycleStages) Delete(ctx context.Context, id LifecycleStageID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a lifecycle stage back from the bin.
func (s LifecycleStages) Restore(ctx context.Context, id LifecycleStageID, options ...WriteOption) (*LifecycleStage, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to a lifecycle stage, deleted or not, and fetches page after page as the loop goes on.
func (s LifecycleStages) History(ctx context.Context, id LifecycleStageID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s LifecycleStages) HistoryPage(ctx context.Context, id LifecycleStageID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes lifecycle stages out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s LifecycleStages) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of lifecycle stages: how many there are, sums, averages, the least and the most, by group.
func (s LifecycleStages) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// LifecycleStageMatch is a field by which an upsert finds a lifecycle stage.
type LifecycleStageMatch string

// The fields by which an upsert finds a lifecycle stage.
const (
	LifecycleStageByExternalID LifecycleStageMatch = "external_id"
)

// LossReasons are the loss reasons of the business; a [Client] has them as its field LossReasons.
type LossReasons struct{ calls[LossReason] }

// Get reads a loss reason.
func (s LossReasons) Get(ctx context.Context, id LossReasonID) (*LossReason, error) {
	return s.get(ctx, string(id))
}

// Search finds loss reasons, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s LossReasons) Search(ctx context.Context, q Query) iter.Seq2[*LossReason, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of loss reasons.
func (s LossReasons) SearchPage(ctx context.Context, q Query) (*Page[LossReason], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds loss reasons that were deleted, as Search does.
func (s LossReasons) SearchBin(ctx context.Context, q Query) iter.Seq2[*LossReason, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of loss reasons that were deleted.
func (s LossReasons) SearchBinPage(ctx context.Context, q Query) (*Page[LossReason], error) {
	return s.page(ctx, bin, q)
}

// Create makes a loss reason.
func (s LossReasons) Create(ctx context.Context, in LossReasonInput, options ...WriteOption) (*LossReason, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a loss reason, and nothing else.
func (s LossReasons) Update(ctx context.Context, id LossReasonID, in LossReasonInput, options ...WriteOption) (*LossReason, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the loss reason that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s LossReasons) Upsert(ctx context.Context, by LossReasonMatch, in LossReasonInput, options ...WriteOption) (*LossReason, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a loss reason to the bin.
func (s LossReasons) Delete(ctx context.Context, id LossReasonID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a loss reason back from the bin.
func (s LossReasons) Restore(ctx context.Context, id LossReasonID, options ...WriteOption) (*LossReason, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to a loss reason, deleted or not, and fetches page after page as the loop goes on.
func (s LossReasons) History(ctx context.Context, id LossReasonID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s LossReasons) HistoryPage(ctx context.Context, id LossReasonID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes loss reasons out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s LossReasons) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of loss reasons: how many there are, sums, averages, the least and the most, by group.
func (s LossReasons) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// LossReasonMatch is a field by which an upsert finds a loss reason.
type LossReasonMatch string

// The fields by which an upsert finds a loss reason.
const (
	LossReasonByExternalID LossReasonMatch = "external_id"
)

// Users are the users of the business; a [Client] has them as its field Users.
type Users struct{ calls[User] }

// Get reads a user.
func (s Users) Get(ctx context.Context, id UserID) (*User, error) {
	return s.get(ctx, string(id))
}

// Search finds users, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Users) Search(ctx context.Context, q Query) iter.Seq2[*User, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of users.
func (s Users) SearchPage(ctx context.Context, q Query) (*Page[User], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds users that were deleted, as Search does.
func (s Users) SearchBin(ctx context.Context, q Query) iter.Seq2[*User, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of users that were deleted.
func (s Users) SearchBinPage(ctx context.Context, q Query) (*Page[User], error) {
	return s.page(ctx, bin, q)
}

// Create makes a user.
func (s Users) Create(ctx context.Context, in UserInput, options ...WriteOption) (*User, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a user, and nothing else.
func (s Users) Update(ctx context.Context, id UserID, in UserInput, options ...WriteOption) (*User, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the user that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Users) Upsert(ctx context.Context, by UserMatch, in UserInput, options ...WriteOption) (*User, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a user to the bin.
func (s Users) Delete(ctx context.Context, id UserID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a user back from the bin.
func (s Users) Restore(ctx context.Context, id UserID, options ...WriteOption) (*User, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to a user, deleted or not, and fetches page after page as the loop goes on.
func (s Users) History(ctx context.Context, id UserID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Users) HistoryPage(ctx context.Context, id UserID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Erase removes what is known of a user for good. The reason stays in the change log.
func (s Users) Erase(ctx context.Context, id UserID, reason string, options ...WriteOption) error {
	return s.erase(ctx, string(id), reason, options)
}

// Export takes users out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Users) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of users: how many there are, sums, averages, the least and the most, by group.
func (s Users) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// UserMatch is a field by which an upsert finds a user.
type UserMatch string

// The fields by which an upsert finds a user.
const (
	UserByEmail      UserMatch = "email"
	UserByExternalID UserMatch = "external_id"
)

// Roles are the roles of the business; a [Client] has them as its field Roles.
type Roles struct{ calls[Role] }

// Get reads a role.
func (s Roles) Get(ctx context.Context, id RoleID) (*Role, error) {
	return s.get(ctx, string(id))
}

// Search finds roles, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Roles) Search(ctx context.Context, q Query) iter.Seq2[*Role, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of roles.
func (s Roles) SearchPage(ctx context.Context, q Query) (*Page[Role], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds roles that were deleted, as Search does.
func (s Roles) SearchBin(ctx context.Context, q Query) iter.Seq2[*Role, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of roles that were deleted.
func (s Roles) SearchBinPage(ctx context.Context, q Query) (*Page[Role], error) {
	return s.page(ctx, bin, q)
}

// Create makes a role.
func (s Roles) Create(ctx context.Context, in RoleInput, options ...WriteOption) (*Role, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a role, and nothing else.
func (s Roles) Update(ctx context.Context, id RoleID, in RoleInput, options ...WriteOption) (*Role, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the role that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Roles) Upsert(ctx context.Context, by RoleMatch, in RoleInput, options ...WriteOption) (*Role, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a role to the bin.
func (s Roles) Delete(ctx context.Context, id RoleID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a role back from the bin.
func (s Roles) Restore(ctx context.Context, id RoleID, options ...WriteOption) (*Role, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to a role, deleted or not, and fetches page after page as the loop goes on.
func (s Roles) History(ctx context.Context, id RoleID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Roles) HistoryPage(ctx context.Context, id RoleID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes roles out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Roles) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of roles: how many there are, sums, averages, the least and the most, by group.
func (s Roles) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// RoleMatch is a field by which an upsert finds a role.
type RoleMatch string

// The fields by which an upsert finds a role.
const (
	RoleByName       RoleMatch = "name"
	RoleByExternalID RoleMatch = "external_id"
)

// Tokens are the tokens of the business; a [Client] has them as its field Tokens.
type Tokens struct{ calls[Token] }

// Get reads a token.
func (s Tokens) Get(ctx context.Context, id TokenID) (*Token, error) {
	return s.get(ctx, string(id))
}

// Search finds tokens, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Tokens) Search(ctx context.Context, q Query) iter.Seq2[*Token, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of tokens.
func (s Tokens) SearchPage(ctx context.Context, q Query) (*Page[Token], error) {
	return s.page(ctx, live, q)
}

// Create makes a token.
func (s Tokens) Create(ctx context.Context, in TokenInput, options ...WriteOption) (*Token, error) {
	return s.create(ctx, in, options)
}

// Delete removes a token for good.
func (s Tokens) Delete(ctx context.Context, id TokenID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// History tells what happened to a token, deleted or not, and fetches page after page as the loop goes on.
func (s Tokens) History(ctx context.Context, id TokenID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Tokens) HistoryPage(ctx context.Context, id TokenID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes tokens out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Tokens) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of tokens: how many there are, sums, averages, the least and the most, by group.
func (s Tokens) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// Apps are the apps of the business; a [Client] has them as its field Apps.
type Apps struct{ calls[App] }

// Get reads an app.
func (s Apps) Get(ctx context.Context, id AppID) (*App, error) {
	return s.get(ctx, string(id))
}

// Search finds apps, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Apps) Search(ctx context.Context, q Query) iter.Seq2[*App, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of apps.
func (s Apps) SearchPage(ctx context.Context, q Query) (*Page[App], error) {
	return s.page(ctx, live, q)
}

// Create makes an app.
func (s Apps) Create(ctx context.Context, in AppInput, options ...WriteOption) (*App, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of an app, and nothing else.
func (s Apps) Update(ctx context.Context, id AppID, in AppInput, options ...WriteOption) (*App, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the app that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Apps) Upsert(ctx context.Context, by AppMatch, in AppInput, options ...WriteOption) (*App, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete removes an app for good.
func (s Apps) Delete(ctx context.Context, id AppID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// RotateSecret is the action. Replaces the client secret; the new one is answered once.
func (s Apps) RotateSecret(ctx context.Context, id AppID, options ...WriteOption) (*App, error) {
	return s.act(ctx, string(id), "rotate_secret", nil, options)
}

// History tells what happened to an app, deleted or not, and fetches page after page as the loop goes on.
func (s Apps) History(ctx context.Context, id AppID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Apps) HistoryPage(ctx context.Context, id AppID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes apps out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Apps) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of apps: how many there are, sums, averages, the least and the most, by group.
func (s Apps) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// AppMatch is a field by which an upsert finds an app.
type AppMatch string

// The fields by which an upsert finds an app.
const (
	AppByExternalID AppMatch = "external_id"
)

// Views are the views of the business; a [Client] has them as its field Views.
type Views struct{ calls[View] }

// Get reads a view.
func (s Views) Get(ctx context.Context, id ViewID) (*View, error) {
	return s.get(ctx, string(id))
}

// Search finds views, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Views) Search(ctx context.Context, q Query) iter.Seq2[*View, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of views.
func (s Views) SearchPage(ctx context.Context, q Query) (*Page[View], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds views that were deleted, as Search does.
func (s Views) SearchBin(ctx context.Context, q Query) iter.Seq2[*View, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of views that were deleted.
func (s Views) SearchBinPage(ctx context.Context, q Query) (*Page[View], error) {
	return s.page(ctx, bin, q)
}

// Create makes a view.
func (s Views) Create(ctx context.Context, in ViewInput, options ...WriteOption) (*View, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a view, and nothing else.
func (s Views) Update(ctx context.Context, id ViewID, in ViewInput, options ...WriteOption) (*View, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the view that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Views) Upsert(ctx context.Context, by ViewMatch, in ViewInput, options ...WriteOption) (*View, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a view to the bin.
func (s Views) Delete(ctx context.Context, id ViewID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a view back from the bin.
func (s Views) Restore(ctx context.Context, id ViewID, options ...WriteOption) (*View, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to a view, deleted or not, and fetches page after page as the loop goes on.
func (s Views) History(ctx context.Context, id ViewID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Views) HistoryPage(ctx context.Context, id ViewID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes views out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Views) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of views: how many there are, sums, averages, the least and the most, by group.
func (s Views) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// ViewMatch is a field by which an upsert finds a view.
type ViewMatch string

// The fields by which an upsert finds a view.
const (
	ViewByExternalID ViewMatch = "external_id"
)

// Reports are the reports of the business; a [Client] has them as its field Reports.
type Reports struct{ calls[Report] }

// Get reads a report.
func (s Reports) Get(ctx context.Context, id ReportID) (*Report, error) {
	return s.get(ctx, string(id))
}

// Search finds reports, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Reports) Search(ctx context.Context, q Query) iter.Seq2[*Report, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of reports.
func (s Reports) SearchPage(ctx context.Context, q Query) (*Page[Report], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds reports that were deleted, as Search does.
func (s Reports) SearchBin(ctx context.Context, q Query) iter.Seq2[*Report, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of reports that were deleted.
func (s Reports) SearchBinPage(ctx context.Context, q Query) (*Page[Report], error) {
	return s.page(ctx, bin, q)
}

// Create makes a report.
func (s Reports) Create(ctx context.Context, in ReportInput, options ...WriteOption) (*Report, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a report, and nothing else.
func (s Reports) Update(ctx context.Context, id ReportID, in ReportInput, options ...WriteOption) (*Report, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the report that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Reports) Upsert(ctx context.Context, by ReportMatch, in ReportInput, options ...WriteOption) (*Report, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a report to the bin.
func (s Reports) Delete(ctx context.Context, id ReportID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a report back from the bin.
func (s Reports) Restore(ctx context.Context, id ReportID, options ...WriteOption) (*Report, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to a report, deleted or not, and fetches page after page as the loop goes on.
func (s Reports) History(ctx context.Context, id ReportID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Reports) HistoryPage(ctx context.Context, id ReportID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes reports out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Reports) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of reports: how many there are, sums, averages, the least and the most, by group.
func (s Reports) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// ReportMatch is a field by which an upsert finds a report.
type ReportMatch string

// The fields by which an upsert finds a report.
const (
	ReportByExternalID ReportMatch = "external_id"
)

// Follows are the follows of the business; a [Client] has them as its field Follows.
type Follows struct{ calls[Follow] }

// Get reads a follow.
func (s Follows) Get(ctx context.Context, id FollowID) (*Follow, error) {
	return s.get(ctx, string(id))
}

// Search finds follows, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Follows) Search(ctx context.Context, q Query) iter.Seq2[*Follow, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of follows.
func (s Follows) SearchPage(ctx context.Context, q Query) (*Page[Follow], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds follows that were deleted, as Search does.
func (s Follows) SearchBin(ctx context.Context, q Query) iter.Seq2[*Follow, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of follows that were deleted.
func (s Follows) SearchBinPage(ctx context.Context, q Query) (*Page[Follow], error) {
	return s.page(ctx, bin, q)
}

// Create makes a follow.
func (s Follows) Create(ctx context.Context, in FollowInput, options ...WriteOption) (*Follow, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a follow, and nothing else.
func (s Follows) Update(ctx context.Context, id FollowID, in FollowInput, options ...WriteOption) (*Follow, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the follow that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Follows) Upsert(ctx context.Context, by FollowMatch, in FollowInput, options ...WriteOption) (*Follow, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a follow to the bin.
func (s Follows) Delete(ctx context.Context, id FollowID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a follow back from the bin.
func (s Follows) Restore(ctx context.Context, id FollowID, options ...WriteOption) (*Follow, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to a follow, deleted or not, and fetches page after page as the loop goes on.
func (s Follows) History(ctx context.Context, id FollowID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Follows) HistoryPage(ctx context.Context, id FollowID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes follows out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Follows) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of follows: how many there are, sums, averages, the least and the most, by group.
func (s Follows) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// Bulk does one thing to all follows that a search finds, by a job.
func (s Follows) Bulk(ctx context.Context, b Bulk, options ...WriteOption) (*Job, error) {
	return s.bulk(ctx, b, options)
}

// PreviewBulk tells what a bulk operation would do.
func (s Follows) PreviewBulk(ctx context.Context, b Bulk) (*BulkPreview, error) {
	return s.previewBulk(ctx, b)
}

// FollowMatch is a field by which an upsert finds a follow.
type FollowMatch string

// The fields by which an upsert finds a follow.
const (
	FollowByExternalID FollowMatch = "external_id"
)

// Notifications are the notifications of the business; a [Client] has them as its field Notifications.
type Notifications struct{ calls[Notification] }

// Get reads a notification.
func (s Notifications) Get(ctx context.Context, id NotificationID) (*Notification, error) {
	return s.get(ctx, string(id))
}

// Search finds notifications, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Notifications) Search(ctx context.Context, q Query) iter.Seq2[*Notification, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of notifications.
func (s Notifications) SearchPage(ctx context.Context, q Query) (*Page[Notification], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds notifications that were deleted, as Search does.
func (s Notifications) SearchBin(ctx context.Context, q Query) iter.Seq2[*Notification, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of notifications that were deleted.
func (s Notifications) SearchBinPage(ctx context.Context, q Query) (*Page[Notification], error) {
	return s.page(ctx, bin, q)
}

// Create makes a notification.
func (s Notifications) Create(ctx context.Context, in NotificationInput, options ...WriteOption) (*Notification, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a notification, and nothing else.
func (s Notifications) Update(ctx context.Context, id NotificationID, in NotificationInput, options ...WriteOption) (*Notification, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the notification that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Notifications) Upsert(ctx context.Context, by NotificationMatch, in NotificationInput, options ...WriteOption) (*Notification, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a notification to the bin.
func (s Notifications) Delete(ctx context.Context, id NotificationID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a notification back from the bin.
func (s Notifications) Restore(ctx context.Context, id NotificationID, options ...WriteOption) (*Notification, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to a notification, deleted or not, and fetches page after page as the loop goes on.
func (s Notifications) History(ctx context.Context, id NotificationID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Notifications) HistoryPage(ctx context.Context, id NotificationID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes notifications out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Notifications) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of notifications: how many there are, sums, averages, the least and the most, by group.
func (s Notifications) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// Bulk does one thing to all notifications that a search finds, by a job.
func (s Notifications) Bulk(ctx context.Context, b Bulk, options ...WriteOption) (*Job, error) {
	return s.bulk(ctx, b, options)
}

// PreviewBulk tells what a bulk operation would do.
func (s Notifications) PreviewBulk(ctx context.Context, b Bulk) (*BulkPreview, error) {
	return s.previewBulk(ctx, b)
}

// NotificationMatch is a field by which an upsert finds a notification.
type NotificationMatch string

// The fields by which an upsert finds a notification.
const (
	NotificationByExternalID NotificationMatch = "external_id"
)

// CustomFields are the fields of the business; a [Client] has them as its field CustomFields.
type CustomFields struct{ calls[CustomField] }

// Get reads a field.
func (s CustomFields) Get(ctx context.Context, id CustomFieldID) (*CustomField, error) {
	return s.get(ctx, string(id))
}

// Search finds fields, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s CustomFields) Search(ctx context.Context, q Query) iter.Seq2[*CustomField, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of fields.
func (s CustomFields) SearchPage(ctx context.Context, q Query) (*Page[CustomField], error) {
	return s.page(ctx, live, q)
}

// SearchBin finds fields that were deleted, as Search does.
func (s CustomFields) SearchBin(ctx context.Context, q Query) iter.Seq2[*CustomField, error] {
	return s.search(ctx, bin, q)
}

// SearchBinPage finds one page of fields that were deleted.
func (s CustomFields) SearchBinPage(ctx context.Context, q Query) (*Page[CustomField], error) {
	return s.page(ctx, bin, q)
}

// Create makes a field.
func (s CustomFields) Create(ctx context.Context, in CustomFieldInput, options ...WriteOption) (*CustomField, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a field, and nothing else.
func (s CustomFields) Update(ctx context.Context, id CustomFieldID, in CustomFieldInput, options ...WriteOption) (*CustomField, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the field that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s CustomFields) Upsert(ctx context.Context, by CustomFieldMatch, in CustomFieldInput, options ...WriteOption) (*CustomField, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete moves a field to the bin.
func (s CustomFields) Delete(ctx context.Context, id CustomFieldID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Restore takes a field back from the bin.
func (s CustomFields) Restore(ctx context.Context, id CustomFieldID, options ...WriteOption) (*CustomField, error) {
	return s.act(ctx, string(id), "restore", nil, options)
}

// History tells what happened to a field, deleted or not, and fetches page after page as the loop goes on.
func (s CustomFields) History(ctx context.Context, id CustomFieldID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s CustomFields) HistoryPage(ctx context.Context, id CustomFieldID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes fields out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s CustomFields) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of fields: how many there are, sums, averages, the least and the most, by group.
func (s CustomFields) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// CustomFieldMatch is a field by which an upsert finds a field.
type CustomFieldMatch string

// The fields by which an upsert finds a field.
const (
	CustomFieldByExternalID CustomFieldMatch = "external_id"
)

// Webhooks are the webhooks of the business; a [Client] has them as its field Webhooks.
type Webhooks struct{ calls[Webhook] }

// Get reads a webhook.
func (s Webhooks) Get(ctx context.Context, id WebhookID) (*Webhook, error) {
	return s.get(ctx, string(id))
}

// Search finds webhooks, and fetches page after page as the loop goes on. An error is the last thing that it gives.
func (s Webhooks) Search(ctx context.Context, q Query) iter.Seq2[*Webhook, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of webhooks.
func (s Webhooks) SearchPage(ctx context.Context, q Query) (*Page[Webhook], error) {
	return s.page(ctx, live, q)
}

// Create makes a webhook.
func (s Webhooks) Create(ctx context.Context, in WebhookInput, options ...WriteOption) (*Webhook, error) {
	return s.create(ctx, in, options)
}

// Update changes what is said of a webhook, and nothing else.
func (s Webhooks) Update(ctx context.Context, id WebhookID, in WebhookInput, options ...WriteOption) (*Webhook, error) {
	return s.update(ctx, string(id), in, options)
}

// Upsert changes the webhook that has the same value in a field, or makes one where none has. It tells, too, whether one was made.
func (s Webhooks) Upsert(ctx context.Context, by WebhookMatch, in WebhookInput, options ...WriteOption) (*Webhook, bool, error) {
	return s.upsert(ctx, string(by), in, options)
}

// Delete removes a webhook for good.
func (s Webhooks) Delete(ctx context.Context, id WebhookID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Test is the action. Sends the event webhook.test, in its turn. What came of it is among the deliveries.
func (s Webhooks) Test(ctx context.Context, id WebhookID, options ...WriteOption) (*Webhook, error) {
	return s.act(ctx, string(id), "test", nil, options)
}

// RotateSecret is the action. Replaces the secret; the new one is answered once. What is sent within a day is signed with both.
func (s Webhooks) RotateSecret(ctx context.Context, id WebhookID, options ...WriteOption) (*Webhook, error) {
	return s.act(ctx, string(id), "rotate_secret", nil, options)
}

// Replay is the action. Sends the events of a range of the change log again, beside new ones; one range after the other.
func (s Webhooks) Replay(ctx context.Context, id WebhookID, in WebhookReplayInput, options ...WriteOption) (*Webhook, error) {
	return s.act(ctx, string(id), "replay", in, options)
}

// History tells what happened to a webhook, deleted or not, and fetches page after page as the loop goes on.
func (s Webhooks) History(ctx context.Context, id WebhookID, q LogQuery) iter.Seq2[*Change, error] {
	return s.history(ctx, string(id), q)
}

// HistoryPage gives one page of the history.
func (s Webhooks) HistoryPage(ctx context.Context, id WebhookID, q LogQuery) (*Page[Change], error) {
	return s.historyPage(ctx, string(id), q)
}

// Export takes webhooks out as a file, all that a search with the same filters finds. It is read as it comes, and has to be closed.
func (s Webhooks) Export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.export(ctx, q)
}

// Aggregate gives figures of webhooks: how many there are, sums, averages, the least and the most, by group.
func (s Webhooks) Aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	return s.aggregate(ctx, q)
}

// WebhookMatch is a field by which an upsert finds a webhook.
type WebhookMatch string

// The fields by which an upsert finds a webhook.
const (
	WebhookByExternalID WebhookMatch = "external_id"
)
