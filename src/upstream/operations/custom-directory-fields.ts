import { directoryField } from './fields/directories.ts';
import type { OperationGroup } from './operation.ts';

/** Fields of a directory. */
export const customDirectoryFields = {
  /** Adds a field. One that shows a property of the cards or another directory has to name it. */
  createField: {
    id: 'customDirectoryFields.createField',
    api: 'rest',
    method: 'POST',
    path: '/company/custom-directories/{directory_id}/fields',
    pathParameters: { directory_id: 'string' },
    body: {
      'name*': 'string',
      'type*':
        "'string' | 'number' | 'date' | 'email' | 'url' | 'phone' | 'checkbox' | 'select' | 'user' | 'catalog' | 'directory_link' | 'file'",
      sort_order: 'integer',
      required: 'boolean',
      is_display: 'boolean',
      custom_property_uid: 'string',
      linked_directory_id: 'string',
    },
    response: { kind: 'object', fields: directoryField },
    repeat: 'unsafe',
    stage: 'beta',
    undocumented: ['custom_property_uid', 'linked_directory_id'],
    source: 'REST: customDirectoryFields',
  },
  /** Removes a field. */
  deleteField: {
    id: 'customDirectoryFields.deleteField',
    api: 'rest',
    method: 'DELETE',
    path: '/company/custom-directories/{directory_id}/fields/{field_id}',
    pathParameters: { directory_id: 'string', field_id: 'string' },
    response: {
      kind: 'object',
      fields: ['id', 'custom_directory_id', 'name', 'type', 'condition', 'updated'],
    },
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: customDirectoryFields',
  },
  /** One field. */
  getField: {
    id: 'customDirectoryFields.getField',
    api: 'rest',
    method: 'GET',
    path: '/company/custom-directories/{directory_id}/fields/{field_id}',
    pathParameters: { directory_id: 'string', field_id: 'string' },
    response: {
      kind: 'object',
      fields: [...directoryField, 'author', 'linkedDirectory', 'customProperty'],
    },
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: customDirectoryFields',
  },
  /** The fields of a directory, in one answer. */
  getListOfFields: {
    id: 'customDirectoryFields.getListOfFields',
    api: 'rest',
    method: 'GET',
    path: '/company/custom-directories/{directory_id}/fields',
    pathParameters: { directory_id: 'string' },
    query: { include_author: 'boolean', conditions: "('active' | 'inactive' | 'removed')[]" },
    queryStyle: { conditions: 'brackets' },
    response: {
      kind: 'array',
      fields: [
        'id',
        'custom_directory_id',
        'name',
        'type',
        'required',
        'is_display',
        'sort_order',
        'condition',
      ],
    },
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: customDirectoryFields',
  },
  /** Changes a field. */
  updateField: {
    id: 'customDirectoryFields.updateField',
    api: 'rest',
    method: 'PATCH',
    path: '/company/custom-directories/{directory_id}/fields/{field_id}',
    pathParameters: { directory_id: 'string', field_id: 'string' },
    body: {
      name: 'string',
      condition: "'active' | 'inactive' | 'removed'",
      sort_order: 'integer',
      required: 'boolean',
      is_display: 'boolean',
    },
    response: { kind: 'object', fields: directoryField },
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: customDirectoryFields',
  },
} as const satisfies OperationGroup;
