import { customDirectory } from './fields/directories.ts';
import type { OperationGroup } from './operation.ts';

/** Directories of the company: lists of records with fields of its own. */
export const customDirectories = {
  /** Creates a directory, with its fields where they are given. */
  createCustomDirectory: {
    id: 'customDirectories.createCustomDirectory',
    api: 'rest',
    method: 'POST',
    path: '/company/custom-directories',
    body: {
      'name*': 'string',
      description: 'null | string',
      multi_select: 'boolean',
      allow_editing: 'boolean',
      display_field_index: 'integer',
      fields: 'object[]',
    },
    response: { kind: 'object', fields: [...customDirectory, 'fields'] },
    repeat: 'unsafe',
    stage: 'beta',
    source: 'REST: customDirectories',
  },
  /** Marks a directory as removed. */
  deleteCustomDirectory: {
    id: 'customDirectories.deleteCustomDirectory',
    api: 'rest',
    method: 'DELETE',
    path: '/company/custom-directories/{directory_id}',
    pathParameters: { directory_id: 'string' },
    response: { kind: 'object', fields: ['id', 'name', 'condition', 'updated'] },
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: customDirectories',
  },
  /** One directory with its fields. */
  getCustomDirectory: {
    id: 'customDirectories.getCustomDirectory',
    api: 'rest',
    method: 'GET',
    path: '/company/custom-directories/{directory_id}',
    pathParameters: { directory_id: 'string' },
    response: { kind: 'object', fields: [...customDirectory, 'author', 'fields'] },
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: customDirectories',
  },
  /** The directories of the company. */
  getListOfCustomDirectories: {
    id: 'customDirectories.getListOfCustomDirectories',
    api: 'rest',
    method: 'GET',
    path: '/company/custom-directories',
    query: {
      include_fields: 'boolean',
      include_author: 'boolean',
      include_records_count: 'boolean',
      limit: 'number',
      offset: 'number',
      query: 'string',
      conditions: 'string[]',
    },
    queryStyle: { conditions: 'brackets' },
    response: {
      kind: 'array',
      fields: [
        'id',
        'name',
        'description',
        'condition',
        'settings',
        'records_count',
        'created',
        'updated',
      ],
    },
    paging: 'offset',
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: customDirectories',
  },
  /** Changes a directory. Unsafe to repeat: `fields` is the whole list, and what is new in it could be made twice. */
  updateCustomDirectory: {
    id: 'customDirectories.updateCustomDirectory',
    api: 'rest',
    method: 'PATCH',
    path: '/company/custom-directories/{directory_id}',
    pathParameters: { directory_id: 'string' },
    body: {
      name: 'string',
      description: 'null | string',
      condition: "'active' | 'inactive' | 'removed'",
      multi_select: 'boolean',
      allow_editing: 'boolean',
      fields: 'object[]',
    },
    response: { kind: 'object', fields: [...customDirectory, 'author', 'fields'] },
    repeat: 'unsafe',
    stage: 'beta',
    source: 'REST: customDirectories',
  },
} as const satisfies OperationGroup;
