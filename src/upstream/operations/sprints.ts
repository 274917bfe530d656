import type { OperationGroup } from './operation.ts';

const sprint = [
  'id',
  'uid',
  'board_id',
  'title',
  'goal',
  'active',
  'committed',
  'children_committed',
  'velocity',
  'velocity_details',
  'children_velocity',
  'children_velocity_details',
  'creator_id',
  'updater_id',
  'start_date',
  'finish_date',
  'actual_finish_date',
  'created',
  'updated',
  'archived',
] as const;

/** Sprints of boards. */
export const sprints = {
  /** One sprint with its cards. The documents break off within the list of its fields. */
  getSprintSummary: {
    id: 'sprints.getSprintSummary',
    api: 'rest',
    method: 'GET',
    path: '/sprints/{id}',
    pathParameters: { id: 'integer' },
    query: { exclude_deleted_cards: 'boolean' },
    response: { kind: 'object', fields: [...sprint, 'cards', 'cardUpdates', 'customProperties'] },
    repeat: 'safe',
    source: 'REST: sprints',
  },
  /** The sprints of the company. */
  getSprintsList: {
    id: 'sprints.getSprintsList',
    api: 'rest',
    method: 'GET',
    path: '/sprints',
    query: { active: 'boolean', limit: 'integer', offset: 'integer' },
    response: { kind: 'array', fields: sprint },
    paging: 'offset',
    repeat: 'safe',
    source: 'field-notes',
  },
} as const satisfies OperationGroup;
