import { lane } from './fields/boards.ts';
import { lastMovedWarnings } from './fields/parameters.ts';
import type { OperationGroup } from './operation.ts';

/** Lanes of a board. */
export const lanes = {
  /** Creates a lane. */
  createNewLane: {
    id: 'lanes.createNewLane',
    api: 'rest',
    method: 'POST',
    path: '/boards/{board_id}/lanes',
    pathParameters: { board_id: 'integer' },
    body: {
      'title*': 'string',
      sort_order: 'number',
      wip_limit: 'integer',
      wip_limit_type: '1 | 2',
      ...lastMovedWarnings,
      row_count: 'integer',
    },
    response: { kind: 'object', fields: lane },
    repeat: 'unsafe',
    source: 'REST: lanes',
  },
  /** The lanes of a board, in one answer. The values of `condition` are not documented; 1, 2 and 3 are in use. */
  getListOfLanes: {
    id: 'lanes.getListOfLanes',
    api: 'rest',
    method: 'GET',
    path: '/boards/{board_id}/lanes',
    pathParameters: { board_id: 'integer' },
    query: { condition: 'string | number' },
    response: { kind: 'array', fields: lane },
    repeat: 'safe',
    source: 'REST: lanes',
  },
  /** Deletes a lane; one that holds something only with `force`, which some installations take from the query. */
  removeLane: {
    id: 'lanes.removeLane',
    api: 'rest',
    method: 'DELETE',
    path: '/boards/{board_id}/lanes/{id}',
    pathParameters: { board_id: 'integer', id: 'integer' },
    query: { force: 'boolean' },
    body: { force: 'boolean' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    undocumented: ['query.force'],
    source: 'REST: lanes',
  },
  /** Changes a lane. */
  updateLane: {
    id: 'lanes.updateLane',
    api: 'rest',
    method: 'PATCH',
    path: '/boards/{board_id}/lanes/{id}',
    pathParameters: { board_id: 'integer', id: 'integer' },
    body: {
      title: 'string',
      sort_order: 'number',
      wip_limit: 'integer | null',
      wip_limit_type: '1 | 2',
      ...lastMovedWarnings,
      row_count: 'integer',
      default_tags: 'string | null',
      default_card_type_id: 'integer | null',
      condition: '1 | 2',
    },
    response: { kind: 'object', fields: lane },
    repeat: 'safe',
    source: 'REST: lanes',
  },
} as const satisfies OperationGroup;
