// The parts of the settings, for their own menu and for the palette.

import type { Me } from '../api/call'
import type { Schema } from '../schema/schema'
import '../i18n/messages/more'
import { t } from '../i18n/translate'

export type Section =
  | 'you'
  | 'security'
  | 'access'
  | 'connected'
  | 'business'
  | 'people'
  | 'who-may-what'
  | 'sales'
  | 'own-fields'
  | 'webhooks'
  | 'audit'
  | 'work'
  | 'bin'

// sectionsOf are those that somebody may see.
export function sectionsOf(me: Me, schema: Schema): { name: Section; title: string; own: boolean }[] {
  const reads = (name: string) => schema.resources.some((r) => r.name === name && r.permissions.read !== 'none')
  const all: [Section, string, boolean, boolean][] = [
    ['you', t('you'), true, true],
    ['security', t('security'), true, true],
    ['access', t('tokens'), true, reads('token')],
    ['connected', t('appsAndAgents'), true, true],
    ['business', t('business'), false, me.features.includes('manage_settings')],
    ['people', t('people'), false, reads('user')],
    ['who-may-what', t('roles'), false, reads('role')],
    ['sales', t('pipelinesAndStages'), false, reads('pipeline')],
    ['own-fields', t('customFields'), false, reads('field')],
    ['webhooks', t('webhooks'), false, reads('webhook')],
    ['audit', t('auditLog'), false, me.features.includes('audit')],
    ['work', t('jobs'), false, true],
    ['bin', t('bin'), false, schema.resources.some((r) => r.operations.includes('bin') && r.permissions.read !== 'none')],
  ]
  return all.filter(([, , , shown]) => shown).map(([name, title, own]) => ({ name, title, own }))
}
