import { directoryRecord } from './fields/directories.ts';
import type { OperationGroup } from './operation.ts';

/** Records of a directory. What `values` hold is not documented. */
export const customDirectoryRecords = {
  /** Adds a record; `response_profile` says how much of it comes back. */
  createRecord: {
    id: 'customDirectoryRecords.createRecord',
    api: 'rest',
    method: 'POST',
    path: '/company/custom-directories/{directory_id}/records',
    pathParameters: { directory_id: 'string' },
    query: { response_profile: 'string' },
    body: { 'values*': 'object' },
    response: { kind: 'object', fields: directoryRecord },
    repeat: 'unsafe',
    stage: 'beta',
    source: 'REST: customDirectoryRecords',
  },
  /** Removes a record. */
  deleteRecord: {
    id: 'customDirectoryRecords.deleteRecord',
    api: 'rest',
    method: 'DELETE',
    path: '/company/custom-directories/{directory_id}/records/{record_id}',
    pathParameters: { directory_id: 'string', record_id: 'string' },
    response: { kind: 'object', fields: ['id', 'custom_directory_id', 'condition', 'updated'] },
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: customDirectoryRecords',
  },
  /** The cards that name a record. */
  getCardsLinkedToRecord: {
    id: 'customDirectoryRecords.getCardsLinkedToRecord',
    api: 'rest',
    method: 'GET',
    path: '/company/custom-directories/{directory_id}/records/{record_id}/cards',
    pathParameters: { directory_id: 'string', record_id: 'string' },
    query: { limit: 'number', offset: 'number', filter: 'string' },
    response: { kind: 'array', fields: ['id', 'uid', 'title'] },
    paging: 'offset',
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: customDirectoryRecords',
  },
  /** The records of a directory. `filters` travels as JSON. */
  getListOfRecords: {
    id: 'customDirectoryRecords.getListOfRecords',
    api: 'rest',
    method: 'GET',
    path: '/company/custom-directories/{directory_id}/records',
    pathParameters: { directory_id: 'string' },
    query: {
      limit: 'number',
      offset: 'number',
      query: 'string',
      profile: 'string',
      include_values: 'boolean',
      include_author: 'boolean',
      conditions: 'string[]',
      filters: 'object',
      filter_operator: 'string',
    },
    queryStyle: { conditions: 'brackets', filters: 'json' },
    response: {
      kind: 'array',
      fields: [
        'id',
        'custom_directory_id',
        'display_value',
        'condition',
        'created',
        'updated',
        'values',
      ],
    },
    paging: 'offset',
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: customDirectoryRecords',
  },
  /** One record; `profile` says how much of it. */
  getRecord: {
    id: 'customDirectoryRecords.getRecord',
    api: 'rest',
    method: 'GET',
    path: '/company/custom-directories/{directory_id}/records/{record_id}',
    pathParameters: { directory_id: 'string', record_id: 'string' },
    query: { profile: 'string' },
    response: { kind: 'object', fields: directoryRecord },
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: customDirectoryRecords',
  },
  /** Sets values or the state of a record. */
  updateRecord: {
    id: 'customDirectoryRecords.updateRecord',
    api: 'rest',
    method: 'PATCH',
    path: '/company/custom-directories/{directory_id}/records/{record_id}',
    pathParameters: { directory_id: 'string', record_id: 'string' },
    query: { response_profile: 'string' },
    body: { condition: "'active' | 'inactive' | 'removed'", values: 'object' },
    response: { kind: 'object', fields: directoryRecord },
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: customDirectoryRecords',
  },
} as const satisfies OperationGroup;
