// What the API tells of an import, and the files that go to it and come back.

import { fetchApi, Problem } from '../api/call'
import { seenAsHeader } from '../api/see-as'
import type { Job } from '../records/jobs'
import { saveFile } from '../ui/save-file'

export type Run = {
  job_id: string
  status: Job['status']
  total: number
  done: number
  created: number
  changed: number
  unchanged: number
  refused: number
  error: { detail?: string } | null
}
export type Column = { name: string; field: string | null; about: string | null; samples: string[] }
export type Import = {
  id: string
  resource: string
  status: string
  file: { format: string; encoding: string | null; delimiter: string | null; bytes: number; rows: number } | null
  columns: Column[]
  undecided: { field: string; code: string; message: string }[]
  mapping: Record<string, string>
  new_fields: Record<string, { kind: string; label?: string }>
  unknown_options: string
  match: string | null
  policy: string | null
  empty: string
  decimals: string | null
  dates: string | null
  preview: Run | null
  run: Run | null
  undo: { status: string; undone: number; left: number; reasons: { why: string; count: number }[] } | null
  created_at: string
}

// Group is one reason for which rows are refused: a value of a column, or something that no cell has. Of its rows the first are told.
export type Group = {
  column: string | null
  field: string | null
  value: string | null
  code: string
  message: string
  count: number
  rows: number[]
  allowed: string[]
}
export type Groups = { data: Group[]; meta: { refused: number; grouped: number; has_more: boolean } }

// busyStates are those in which the server works on it.
export const busyStates = ['previewing', 'running', 'undoing']

export async function sendFile(id: string, file: File): Promise<Import> {
  let response: Response
  try {
    response = await fetch(`/v1/imports/${id}/file`, {
      method: 'PUT',
      headers: { Version: 'v1', ...seenAsHeader, 'Content-Type': 'application/octet-stream' },
      body: file,
      credentials: 'same-origin',
    })
  } catch {
    throw new Problem(0, {})
  }
  if (!response.ok) throw new Problem(response.status, await response.json().catch(() => ({})))
  return response.json()
}

export async function saveErrors(data: Import): Promise<void> {
  const response = await fetchApi('GET', `/v1/imports/${data.id}/errors`)
  const told = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1]
  saveFile(await response.blob(), told ?? `errors.${data.file?.format === 'jsonl' ? 'jsonl' : 'csv'}`)
}
