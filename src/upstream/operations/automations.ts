import { automation } from './fields/spaces.ts';
import type { OperationGroup } from './operation.ts';

/** Automations of a space. What triggers, conditions and actions hold is not documented. */
export const automations = {
  /** Creates an automation. */
  createAutomation: {
    id: 'automations.createAutomation',
    api: 'rest',
    method: 'POST',
    path: '/spaces/{space_id}/automations',
    pathParameters: { space_id: 'integer' },
    body: {
      'type*': "'on_action' | 'on_date' | 'on_demand'",
      name: 'string',
      trigger: 'object',
      conditions: 'object',
      'actions*': 'object[]',
    },
    response: { kind: 'object', fields: automation },
    repeat: 'unsafe',
    source: 'REST: automations',
  },
  /** Deletes an automation. */
  deleteAutomation: {
    id: 'automations.deleteAutomation',
    api: 'rest',
    method: 'DELETE',
    path: '/spaces/{space_id}/automations/{automation_uid}',
    pathParameters: { space_id: 'integer', automation_uid: 'string' },
    response: { kind: 'object', fields: ['message'] },
    repeat: 'safe',
    source: 'REST: automations',
  },
  /** All automations of a space, in one answer. */
  getListOfAutomations: {
    id: 'automations.getListOfAutomations',
    api: 'rest',
    method: 'GET',
    path: '/spaces/{space_id}/automations',
    pathParameters: { space_id: 'integer' },
    response: { kind: 'array', fields: automation },
    repeat: 'safe',
    source: 'REST: automations',
  },
  /** Changes an automation. */
  updateAutomation: {
    id: 'automations.updateAutomation',
    api: 'rest',
    method: 'PATCH',
    path: '/spaces/{space_id}/automations/{automation_uid}',
    pathParameters: { space_id: 'integer', automation_uid: 'string' },
    body: {
      type: "'on_action' | 'on_date' | 'on_demand'",
      name: 'string',
      trigger: 'object',
      conditions: 'object',
      actions: 'object[]',
    },
    response: { kind: 'object', fields: automation },
    repeat: 'safe',
    source: 'REST: automations',
  },
} as const satisfies OperationGroup;
