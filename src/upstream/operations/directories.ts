import { operations, shape } from './row.ts';

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

const inDirectories = {
  stage: 'beta',
  pathParameters: { directory_id: 'string', field_id: 'string', record_id: 'string' },
} as const;

/** Directories of the company: lists of records with fields of its own. */
export const customDirectories = operations(
  'customDirectories',
  '/company/custom-directories',
  inDirectories,
)`
  createCustomDirectory POST => ${customDirectory} fields
    body name* description:null|string multi_select allow_editing display_field_index fields
  deleteCustomDirectory DELETE /{directory_id} => id name condition updated
    about Marks a directory as removed.
  getCustomDirectory GET /{directory_id} => ${customDirectory} author fields
  getListOfCustomDirectories GET
    query include_fields include_author include_records_count limit:number offset:number query
      conditions:string[]
    queryStyle conditions:brackets
    answer [id name description condition settings records_count created updated]
  updateCustomDirectory PATCH /{directory_id} => ${customDirectory} author fields
    about Changes a directory. Unsafe to repeat: \`fields\` is the whole list, and what is new in it
      could be made twice.
    body name description:null|string condition:active|inactive|removed multi_select allow_editing
      fields
    repeat unsafe
`;

/** Fields of a directory. */
export const customDirectoryFields = operations(
  'customDirectoryFields',
  '/company/custom-directories/{directory_id}/fields',
  inDirectories,
)`
  createField POST => ${directoryField}
    about Adds a field. One that shows a property of the cards or another directory has to name it.
    body name* custom_property_uid~ linked_directory_id~
      type*:'string'|'number'|'date'|'email'|'url'|'phone'|'checkbox'|'select'|'user'|'catalog'|'directory_link'|'file'
      sort_order:integer required is_display
  deleteField DELETE /{field_id} => id custom_directory_id name type condition updated
  getField GET /{field_id} => ${directoryField} author linkedDirectory customProperty
  getListOfFields GET => [id custom_directory_id name type required is_display sort_order condition]
    query include_author conditions:(active|inactive|removed)[]
    queryStyle conditions:brackets
  updateField PATCH /{field_id} => ${directoryField}
    body name condition:active|inactive|removed sort_order:integer required is_display
`;

/** Records of a directory. What `values` hold is not documented. */
export const customDirectoryRecords = operations(
  'customDirectoryRecords',
  '/company/custom-directories/{directory_id}/records',
  inDirectories,
)`
  createRecord POST => ${directoryRecord}
    about Adds a record; \`response_profile\` says how much of it comes back.
    query response_profile
    body values*
  deleteRecord DELETE /{record_id} => id custom_directory_id condition updated
  getCardsLinkedToRecord GET /{record_id}/cards => [id uid title]
    query limit:number offset:number filter
  getListOfRecords GET => [id custom_directory_id display_value condition created updated values]
    about The records of a directory. \`filters\` travels as JSON.
    query limit:number offset:number query profile filter_operator include_values include_author
      conditions:string[] filters
    queryStyle conditions:brackets filters:json
  getRecord GET /{record_id} => ${directoryRecord}
    about One record; \`profile\` says how much of it.
    query profile
  updateRecord PATCH /{record_id} => ${directoryRecord}
    query response_profile
    body condition:active|inactive|removed values
`;
