// Sample data: a handful of records of every sort, made and removed again through the API, each with a tag that says what it is.

import { call, type Page } from '../api/call'
import type { Pipeline } from '../api/records'
import type { Job } from '../records/jobs'

const sampleTag = 'sample data'

const day = 86_400_000
const dateIn = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10)
const timeIn = (days: number, hour: number) => {
  const at = new Date(Date.now() + days * day)
  at.setHours(hour, 0, 0, 0)
  return at.toISOString()
}

type Result = { status: number; record?: { id: string }; error?: { detail?: string } }

async function make(plural: string, all: Record<string, unknown>[]): Promise<string[]> {
  const answer = await call<{ data: Result[] }>('POST', `/v1/${plural}/batch`, {
    atomic: true,
    operations: all.map((data) => ({ op: 'create', data: { tags: [sampleTag], ...data } })),
  })
  return answer.data.map((r) => r.record!.id)
}

// loadSample makes the records, those that others lead to first.
export async function loadSample(): Promise<void> {
  const [harbour, mill, north, fern] = await make('companies', [
    {
      name: 'Harbour Hotels',
      domain: 'harbour.example',
      industry: 'Hospitality',
      company_type: 'customer',
      employee_count: 240,
      address: { city: 'Hamburg', country: 'Germany' },
    },
    {
      name: 'Old Mill Bakery',
      domain: 'oldmill.example',
      industry: 'Food',
      company_type: 'prospect',
      employee_count: 18,
      address: { city: 'Leeds', country: 'United Kingdom' },
    },
    {
      name: 'North Trail Outfitters',
      domain: 'northtrail.example',
      industry: 'Retail',
      company_type: 'prospect',
      employee_count: 65,
      address: { city: 'Oslo', country: 'Norway' },
    },
    {
      name: 'Fern & Field Studio',
      domain: 'fernfield.example',
      industry: 'Design',
      company_type: 'partner',
      employee_count: 9,
      address: { city: 'Lyon', country: 'France' },
    },
  ])
  const [mara, jonas, tom, ingrid, luc, aisha] = await make('contacts', [
    {
      first_name: 'Mara',
      last_name: 'Lindqvist',
      email: 'mara@harbour.example',
      phone: '+49 40 555 0101',
      job_title: 'Head of Purchasing',
      company_id: harbour,
      lead_score: 82,
      lead_source: 'Referral',
    },
    {
      first_name: 'Jonas',
      last_name: 'Weber',
      email: 'jonas@harbour.example',
      job_title: 'Chef',
      company_id: harbour,
      lead_score: 41,
      lead_source: 'Referral',
    },
    {
      first_name: 'Tom',
      last_name: 'Ashworth',
      email: 'tom@oldmill.example',
      phone: '+44 113 555 0144',
      job_title: 'Owner',
      company_id: mill,
      lead_score: 67,
      lead_source: 'Website',
    },
    {
      first_name: 'Ingrid',
      last_name: 'Solberg',
      email: 'ingrid@northtrail.example',
      job_title: 'Buyer',
      company_id: north,
      lead_score: 58,
      lead_source: 'Trade fair',
    },
    {
      first_name: 'Luc',
      last_name: 'Moreau',
      email: 'luc@fernfield.example',
      job_title: 'Partner',
      company_id: fern,
      lead_score: 35,
      lead_source: 'Trade fair',
    },
    {
      first_name: 'Aisha',
      last_name: 'Rahman',
      email: 'aisha@rahman.example',
      job_title: 'Consultant',
      lead_score: 22,
      lead_source: 'Website',
    },
  ])
  await make('products', [
    { name: 'Starter package', sku: 'SAMPLE-START', price: '490.00', tax_rate: 20, category: 'Packages' },
    { name: 'Yearly care', sku: 'SAMPLE-CARE', price: '1200.00', tax_rate: 20, billing_frequency: 'yearly', category: 'Service' },
    { name: 'Workshop day', sku: 'SAMPLE-DAY', price: '950.00', unit: 'day', tax_rate: 20, category: 'Service' },
  ])
  const pipelines = await call<Page<Pipeline>>('POST', '/v1/pipelines/search', {
    filters: [{ field: 'is_default', operator: 'eq', value: true }],
    limit: 1,
  })
  const open = (pipelines.data[0]?.stages ?? []).filter((s) => s.kind === 'open')
  const stage = (i: number) => (open.length ? { stage_id: open[Math.min(i, open.length - 1)].id } : {})
  const [renewal, ovens, shelves] = await make('deals', [
    {
      name: 'Harbour Hotels: yearly supply',
      amount: '18400.00',
      company_id: harbour,
      contact_id: mara,
      expected_close_date: dateIn(3),
      next_step: 'Send the final offer',
      ...stage(3),
    },
    { name: 'Old Mill: second shop', amount: '6200.00', company_id: mill, contact_id: tom, expected_close_date: dateIn(16), ...stage(2) },
    {
      name: 'North Trail: autumn range',
      amount: '9750.00',
      company_id: north,
      contact_id: ingrid,
      expected_close_date: dateIn(-4),
      next_step: 'Ask about the delivery dates',
      ...stage(1),
    },
    {
      name: 'Fern & Field: joint workshop',
      amount: '1900.00',
      company_id: fern,
      contact_id: luc,
      expected_close_date: dateIn(30),
      ...stage(0),
    },
  ])
  await Promise.all([
    make('tasks', [
      {
        title: 'Call Mara about the final offer',
        due_at: timeIn(0, 16),
        priority: 'high',
        contact_id: mara,
        company_id: harbour,
        deal_id: renewal,
      },
      { title: 'Send Tom the price list', due_at: timeIn(-1, 10), contact_id: tom, company_id: mill, deal_id: ovens },
      { title: 'Prepare samples for Ingrid', due_at: timeIn(2, 9), contact_id: ingrid, company_id: north, deal_id: shelves },
      { title: 'Look at kith’s settings', due_at: timeIn(1, 11) },
    ]),
    make('notes', [
      { body: 'Prefers to be called before ten. Decides together with the chef.', contact_id: mara, company_id: harbour },
      { body: 'Opens a second shop in spring and needs everything twice.', contact_id: tom, company_id: mill },
    ]),
    make('activities', [
      {
        activity_type: 'meeting',
        subject: 'Tasting at the hotel',
        occurred_at: timeIn(-6, 14),
        contact_id: mara,
        company_id: harbour,
        deal_id: renewal,
      },
      {
        activity_type: 'call',
        direction: 'outbound',
        subject: 'First call',
        occurred_at: timeIn(-12, 10),
        contact_id: tom,
        company_id: mill,
        deal_id: ovens,
      },
      {
        activity_type: 'email',
        direction: 'inbound',
        subject: 'Question about delivery',
        body: 'Can you deliver before the season begins?',
        occurred_at: timeIn(-2, 9),
        contact_id: ingrid,
        company_id: north,
        deal_id: shelves,
      },
      { activity_type: 'meeting', subject: 'Met at the trade fair', occurred_at: timeIn(-20, 12), contact_id: luc, company_id: fern },
      { activity_type: 'email', direction: 'inbound', subject: 'Asked for a brochure', occurred_at: timeIn(-3, 15), contact_id: aisha },
      {
        activity_type: 'call',
        direction: 'outbound',
        subject: 'Menu planning',
        occurred_at: timeIn(-8, 11),
        contact_id: jonas,
        company_id: harbour,
      },
    ]),
  ])
}

// sampled are the kinds that it has records of, those that lead to others first.
export const sampled = ['activities', 'notes', 'tasks', 'deals', 'products', 'contacts', 'companies']
const tagged = [{ field: 'tags', operator: 'contains', value: sampleTag }]

// removeSample moves everything with the tag to the bin, what leads to others first.
export async function removeSample(): Promise<void> {
  for (const plural of sampled) {
    let job = await call<Job>('POST', `/v1/${plural}/bulk`, { filters: tagged, op: 'delete' })
    while (!job.finished_at) {
      await new Promise((resolve) => setTimeout(resolve, 250))
      job = await call<Job>('GET', `/v1/jobs/${job.id}`)
    }
  }
}

export const hasSample = async () =>
  (await call<Page>('POST', '/v1/contacts/search', { filters: tagged, fields: ['id'], limit: 1 })).data.length > 0
