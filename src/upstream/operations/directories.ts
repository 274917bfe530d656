import { operationsWith, shape } from './row.ts';

/** DIR: a custom directory, base. */
const customDirectory = shape`
  CustomDirectory: id name description condition settings author_uid company_uid created updated
`;

/** FLD: a field of a custom directory. */
const directoryField = shape`
  CustomDirectoryField: id custom_directory_id name type custom_property_uid linked_directory_id
  reverse_field_id condition required is_display sort_order settings author_uid company_uid created
  updated
`;

/** REC: a record of a custom directory. */
const directoryRecord = shape`
  CustomDirectoryRecord: id custom_directory_id display_value condition author_uid updater_uid
  company_uid created updated author updater values
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
      body: 'name* description:null|string multi_select allow_editing display_field_index fields',
      answer: shape`${customDirectory} fields`,
    },
    deleteCustomDirectory: {
      about: 'Marks a directory as removed.',
      call: 'DELETE /{directory_id}',
      answer: 'id name condition updated',
    },
    getCustomDirectory: {
      call: 'GET /{directory_id}',
      answer: shape`${customDirectory} author fields`,
    },
    getListOfCustomDirectories: {
      call: 'GET',
      query: `
        include_fields include_author include_records_count limit:number offset:number query
        conditions:string[]
      `,
      queryStyle: { conditions: 'brackets' },
      answer: ['id name description condition settings records_count created updated'],
      paging: 'offset',
    },
    updateCustomDirectory: {
      about:
        'Changes a directory. Unsafe to repeat: `fields` is the whole list, and what is new in it ' +
        'could be made twice.',
      call: 'PATCH /{directory_id}',
      body: `
        name description:null|string condition:active|inactive|removed multi_select allow_editing
        fields
      `,
      answer: shape`${customDirectory} author fields`,
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
      body: `
        name* custom_property_uid~ linked_directory_id~
        type*:'string'|'number'|'date'|'email'|'url'|'phone'|'checkbox'|'select'|'user'|'catalog'|'directory_link'|'file'
        sort_order:integer required is_display
      `,
      answer: directoryField,
    },
    deleteField: {
      call: 'DELETE /{field_id}',
      answer: 'id custom_directory_id name type condition updated',
    },
    getField: {
      call: 'GET /{field_id}',
      answer: shape`${directoryField} author linkedDirectory customProperty`,
    },
    getListOfFields: {
      call: 'GET',
      query: 'include_author conditions:(active|inactive|removed)[]',
      queryStyle: { conditions: 'brackets' },
      answer: ['id custom_directory_id name type required is_display sort_order condition'],
    },
    updateField: {
      call: 'PATCH /{field_id}',
      body: 'name condition:active|inactive|removed sort_order:integer required is_display',
      answer: directoryField,
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
      query: 'response_profile',
      body: 'values*',
      answer: directoryRecord,
    },
    deleteRecord: {
      call: 'DELETE /{record_id}',
      answer: 'id custom_directory_id condition updated',
    },
    getCardsLinkedToRecord: {
      call: 'GET /{record_id}/cards',
      query: 'limit:number offset:number filter',
      answer: ['id uid title'],
      paging: 'offset',
    },
    getListOfRecords: {
      about: 'The records of a directory. `filters` travels as JSON.',
      call: 'GET',
      query: `
        limit:number offset:number query profile filter_operator include_values include_author
        conditions:string[] filters
      `,
      queryStyle: { conditions: 'brackets', filters: 'json' },
      answer: ['id custom_directory_id display_value condition created updated values'],
      paging: 'offset',
    },
    getRecord: {
      about: 'One record; `profile` says how much of it.',
      call: 'GET /{record_id}',
      query: 'profile',
      answer: directoryRecord,
    },
    updateRecord: {
      call: 'PATCH /{record_id}',
      query: 'response_profile',
      body: 'condition:active|inactive|removed values',
      answer: directoryRecord,
    },
  },
);
