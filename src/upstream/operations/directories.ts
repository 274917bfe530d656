import { array, extend, fields, object, operationsWith, shape } from './row.ts';

/** DIR: a custom directory, base. */
const customDirectory = shape('CustomDirectory')`
  id name description condition settings author_uid company_uid created updated
`;

/** FLD: a field of a custom directory. */
const directoryField = shape('CustomDirectoryField')`
  id custom_directory_id name type custom_property_uid linked_directory_id reverse_field_id
  condition required is_display sort_order settings author_uid company_uid created updated
`;

/** REC: a record of a custom directory. */
const directoryRecord = shape('CustomDirectoryRecord')`
  id custom_directory_id display_value condition author_uid updater_uid company_uid created
  updated author updater values
`;

/** Directories of the company: lists of records with fields of its own. */
export const customDirectories = operationsWith({ stage: 'beta' })('customDirectories', {
  createCustomDirectory: {
    about: 'Creates a directory, with its fields where they are given.',
    call: 'POST /company/custom-directories',
    body: {
      'name*': 'string',
      description: 'null | string',
      multi_select: 'boolean',
      allow_editing: 'boolean',
      display_field_index: 'integer',
      fields: 'object[]',
    },
    answer: object(extend(customDirectory, 'fields')),
  },
  deleteCustomDirectory: {
    about: 'Marks a directory as removed.',
    call: 'DELETE /company/custom-directories/{directory_id}',
    pathParameters: { directory_id: 'string' },
    answer: object('id name condition updated'),
  },
  getCustomDirectory: {
    about: 'One directory with its fields.',
    call: 'GET /company/custom-directories/{directory_id}',
    pathParameters: { directory_id: 'string' },
    answer: object(extend(customDirectory, 'author fields')),
  },
  getListOfCustomDirectories: {
    about: 'The directories of the company.',
    call: 'GET /company/custom-directories',
    query: fields({
      boolean: 'include_fields include_author include_records_count',
      number: 'limit offset',
      string: 'query',
      'string[]': 'conditions',
    }),
    queryStyle: { conditions: 'brackets' },
    answer: array('id name description condition settings records_count created updated'),
    paging: 'offset',
  },
  updateCustomDirectory: {
    about:
      'Changes a directory. Unsafe to repeat: `fields` is the whole list, and what is new in it ' +
      'could be made twice.',
    call: 'PATCH /company/custom-directories/{directory_id}',
    pathParameters: { directory_id: 'string' },
    body: {
      name: 'string',
      description: 'null | string',
      condition: "'active' | 'inactive' | 'removed'",
      multi_select: 'boolean',
      allow_editing: 'boolean',
      fields: 'object[]',
    },
    answer: object(extend(customDirectory, 'author fields')),
    repeat: 'unsafe',
  },
});

/** Fields of a directory. */
export const customDirectoryFields = operationsWith({ stage: 'beta' })('customDirectoryFields', {
  createField: {
    about:
      'Adds a field. One that shows a property of the cards or another directory has to name ' +
      'it.',
    call: 'POST /company/custom-directories/{directory_id}/fields',
    pathParameters: { directory_id: 'string' },
    body: fields({
      string: 'name* custom_property_uid linked_directory_id',
      "'string' | 'number' | 'date' | 'email' | 'url' | 'phone' | 'checkbox' | 'select' | 'user' | 'catalog' | 'directory_link' | 'file'": `
        type*
      `,
      integer: 'sort_order',
      boolean: 'required is_display',
    }),
    answer: object(directoryField),
    undocumented: ['custom_property_uid', 'linked_directory_id'],
  },
  deleteField: {
    about: 'Removes a field.',
    call: 'DELETE /company/custom-directories/{directory_id}/fields/{field_id}',
    pathParameters: { directory_id: 'string', field_id: 'string' },
    answer: object('id custom_directory_id name type condition updated'),
  },
  getField: {
    about: 'One field.',
    call: 'GET /company/custom-directories/{directory_id}/fields/{field_id}',
    pathParameters: { directory_id: 'string', field_id: 'string' },
    answer: object(extend(directoryField, 'author linkedDirectory customProperty')),
  },
  getListOfFields: {
    about: 'The fields of a directory, in one answer.',
    call: 'GET /company/custom-directories/{directory_id}/fields',
    pathParameters: { directory_id: 'string' },
    query: { include_author: 'boolean', conditions: "('active' | 'inactive' | 'removed')[]" },
    queryStyle: { conditions: 'brackets' },
    answer: array(`
      id custom_directory_id name type required is_display sort_order condition
    `),
  },
  updateField: {
    about: 'Changes a field.',
    call: 'PATCH /company/custom-directories/{directory_id}/fields/{field_id}',
    pathParameters: { directory_id: 'string', field_id: 'string' },
    body: {
      name: 'string',
      condition: "'active' | 'inactive' | 'removed'",
      sort_order: 'integer',
      required: 'boolean',
      is_display: 'boolean',
    },
    answer: object(directoryField),
  },
});

/** Records of a directory. What `values` hold is not documented. */
export const customDirectoryRecords = operationsWith({ stage: 'beta' })('customDirectoryRecords', {
  createRecord: {
    about: 'Adds a record; `response_profile` says how much of it comes back.',
    call: 'POST /company/custom-directories/{directory_id}/records',
    pathParameters: { directory_id: 'string' },
    query: { response_profile: 'string' },
    body: { 'values*': 'object' },
    answer: object(directoryRecord),
  },
  deleteRecord: {
    about: 'Removes a record.',
    call: 'DELETE /company/custom-directories/{directory_id}/records/{record_id}',
    pathParameters: { directory_id: 'string', record_id: 'string' },
    answer: object('id custom_directory_id condition updated'),
  },
  getCardsLinkedToRecord: {
    about: 'The cards that name a record.',
    call: 'GET /company/custom-directories/{directory_id}/records/{record_id}/cards',
    pathParameters: { directory_id: 'string', record_id: 'string' },
    query: { limit: 'number', offset: 'number', filter: 'string' },
    answer: array('id uid title'),
    paging: 'offset',
  },
  getListOfRecords: {
    about: 'The records of a directory. `filters` travels as JSON.',
    call: 'GET /company/custom-directories/{directory_id}/records',
    pathParameters: { directory_id: 'string' },
    query: fields({
      number: 'limit offset',
      string: 'query profile filter_operator',
      boolean: 'include_values include_author',
      'string[]': 'conditions',
      object: 'filters',
    }),
    queryStyle: { conditions: 'brackets', filters: 'json' },
    answer: array('id custom_directory_id display_value condition created updated values'),
    paging: 'offset',
  },
  getRecord: {
    about: 'One record; `profile` says how much of it.',
    call: 'GET /company/custom-directories/{directory_id}/records/{record_id}',
    pathParameters: { directory_id: 'string', record_id: 'string' },
    query: { profile: 'string' },
    answer: object(directoryRecord),
  },
  updateRecord: {
    about: 'Sets values or the state of a record.',
    call: 'PATCH /company/custom-directories/{directory_id}/records/{record_id}',
    pathParameters: { directory_id: 'string', record_id: 'string' },
    query: { response_profile: 'string' },
    body: { condition: "'active' | 'inactive' | 'removed'", values: 'object' },
    answer: object(directoryRecord),
  },
});
