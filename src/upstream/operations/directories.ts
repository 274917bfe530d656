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

const directoryOperations = operationsWith({
  stage: 'beta',
  pathParameters: { directory_id: 'string', field_id: 'string', record_id: 'string' },
});

/** Directories of the company: lists of records with fields of its own. */
export const customDirectories = directoryOperations(
  'customDirectories',
  '/company/custom-directories',
  {
    createCustomDirectory: {
      call: 'POST',
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
      call: 'DELETE /{directory_id}',
      answer: object('id name condition updated'),
    },
    getCustomDirectory: {
      call: 'GET /{directory_id}',
      answer: object(extend(customDirectory, 'author fields')),
    },
    getListOfCustomDirectories: {
      call: 'GET',
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
      call: 'PATCH /{directory_id}',
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
  },
);

/** Fields of a directory. */
export const customDirectoryFields = directoryOperations(
  'customDirectoryFields',
  '/company/custom-directories/{directory_id}/fields',
  {
    createField: {
      about:
        'Adds a field. One that shows a property of the cards or another directory has to name ' +
        'it.',
      call: 'POST',
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
      call: 'DELETE /{field_id}',
      answer: object('id custom_directory_id name type condition updated'),
    },
    getField: {
      call: 'GET /{field_id}',
      answer: object(extend(directoryField, 'author linkedDirectory customProperty')),
    },
    getListOfFields: {
      call: 'GET',
      query: { include_author: 'boolean', conditions: "('active' | 'inactive' | 'removed')[]" },
      queryStyle: { conditions: 'brackets' },
      answer: array(`
      id custom_directory_id name type required is_display sort_order condition
    `),
    },
    updateField: {
      call: 'PATCH /{field_id}',
      body: {
        name: 'string',
        condition: "'active' | 'inactive' | 'removed'",
        sort_order: 'integer',
        required: 'boolean',
        is_display: 'boolean',
      },
      answer: object(directoryField),
    },
  },
);

/** Records of a directory. What `values` hold is not documented. */
export const customDirectoryRecords = directoryOperations(
  'customDirectoryRecords',
  '/company/custom-directories/{directory_id}/records',
  {
    createRecord: {
      about: 'Adds a record; `response_profile` says how much of it comes back.',
      call: 'POST',
      query: { response_profile: 'string' },
      body: { 'values*': 'object' },
      answer: object(directoryRecord),
    },
    deleteRecord: {
      call: 'DELETE /{record_id}',
      answer: object('id custom_directory_id condition updated'),
    },
    getCardsLinkedToRecord: {
      call: 'GET /{record_id}/cards',
      query: { limit: 'number', offset: 'number', filter: 'string' },
      answer: array('id uid title'),
      paging: 'offset',
    },
    getListOfRecords: {
      about: 'The records of a directory. `filters` travels as JSON.',
      call: 'GET',
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
      call: 'GET /{record_id}',
      query: { profile: 'string' },
      answer: object(directoryRecord),
    },
    updateRecord: {
      call: 'PATCH /{record_id}',
      query: { response_profile: 'string' },
      body: { condition: "'active' | 'inactive' | 'removed'", values: 'object' },
      answer: object(directoryRecord),
    },
  },
);
