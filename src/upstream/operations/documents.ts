import { array, extend, fields, object, operations, operationsWith, shape } from './row.ts';

/** DGR: a document group. */
const documentGroup = shape('DocumentGroup')`
  uid id title created updated archived company_id author_id parent_entity_uid parent_group_id
  entity_type sort_order access for_everyone_access_role_id hostname redirect_url key icon_type
  icon_value icon_color public news_feed hidden_on_public_site path index_document_uid
`;

/** DOC without its content and the access record, as lists show a document. */
const documentListed = shape('ListedDocument')`
  uid id title created updated archived company_id author_id parent_entity_uid entity_type
  sort_order access for_everyone_access_role_id version published_version publish_date public
  hidden_on_public_site settings key redirect_url icon_type icon_value icon_color path
  schema_version notification_period_start notification_period_end group_id
`;

/** DOC: a document. */
const document = shape('Document', { base: documentListed })`data access_record`;

/** Documents. */
export const documents = operations('documents', '/documents', {
  createNewDocument: {
    call: 'POST',
    body: fields({
      number: 'sort_order*',
      string: 'title',
      'string | null': 'parent_entity_uid for_everyone_access_role_id clone_uid key',
      'number | null': 'clone_version',
    }),
    answer: object(document),
    source: 'field-notes',
  },
  removeDocument: {
    about: 'Deletes a document. One that has others below it is known to be refused (400).',
    call: 'DELETE /{document_uid}',
    answer: object(documentListed),
    source: 'field-notes',
  },
  retrieveDocument: {
    about: 'One document. The documents give neither method nor path; these are the ones in use.',
    call: 'GET /{document_uid}',
    answer: object(document),
  },
  retrieveListOfDocuments: {
    about:
      'Documents without their content. With `version: 2` the answer is `{ result, position }`, ' +
      'and `start_position` goes on from a position.',
    call: 'GET',
    query: fields({
      string: 'query fields start_position',
      integer: 'offset limit version condition',
      boolean: 'include_search_preview',
    }),
    answer: array(documentListed),
    paging: 'start-position',
  },
  updateDocument: {
    call: 'PATCH /{document_uid}',
    body: fields({
      string: 'title for_everyone_access_role_id',
      number: 'sort_order backup_version',
      'string | null': `
        publish_date parent_entity_uid redirect_url key icon_value notification_period_start
        notification_period_end slug
      `,
      object: 'data settings',
      "'for_everyone' | 'by_invite'": 'access',
      boolean: 'public hidden_on_public_site',
      "number | null | 'current'": 'published_version',
      "'emoji' | 'material_icon' | null": 'icon_type',
      'integer | null': 'icon_color',
    }),
    answer: object(document),
  },
});

/** Groups of documents: folders, and sites when they are public. */
export const documentGroups = operations('documentGroups', '/document-groups', {
  createNewDocumentGroup: {
    call: 'POST',
    body: fields({
      string: 'title*',
      'string | null': 'parent_entity_uid for_everyone_access_role_id key',
      number: 'sort_order',
    }),
    answer: object(extend(documentGroup, 'access_record')),
  },
  removeDocumentGroup: {
    about: 'Deletes a document group. One that holds documents is known to be refused (400).',
    call: 'DELETE /{document_group_uid}',
    answer: object(documentGroup),
  },
  retrieveDocumentGroup: {
    call: 'GET /{document_group_uid}',
    answer: object(extend(documentGroup, 'access_record')),
  },
  retrieveListOfDocumentGroups: {
    about:
      'Document groups. With `version: 2` the answer is `{ result, position }`, and ' +
      '`start_position` goes on from a position.',
    call: 'GET',
    query: fields({
      string: 'query start_position',
      integer: 'offset limit version condition role',
    }),
    answer: array(documentGroup),
    paging: 'start-position',
  },
  updateDocumentGroup: {
    about:
      'Changes a document group. Neither body nor answer is documented; these are the ones in ' +
      'use. A key or host name in use answers 409.',
    call: 'PATCH /{document_group_uid}',
    body: fields({
      string: 'title access',
      'string | null': `
        parent_entity_uid for_everyone_access_role_id hostname redirect_url key icon_type
        icon_value index_document_uid
      `,
      number: 'sort_order',
      'integer | null': 'icon_color',
      boolean: 'hidden_on_public_site',
      unknown: 'news_feed',
    }),
    answer: object(extend(documentGroup, 'access_record')),
    undocumented: [
      'title',
      'parent_entity_uid',
      'sort_order',
      'access',
      'for_everyone_access_role_id',
      'hostname',
      'redirect_url',
      'key',
      'icon_type',
      'icon_value',
      'icon_color',
      'hidden_on_public_site',
      'news_feed',
      'index_document_uid',
    ],
  },
});

/** The forms that the content of documents has. */
export const documentSchemas = operationsWith({ pathParameters: { id: 'string' } })(
  'documentSchemas',
  '/document-schemas/{id}',
  {
    getDocumentDataSchema: {
      about: 'One schema by its version: `latest`, `v1`, …',
      call: 'GET',
      query: { format: 'string' },
      answer: object('$schema $id title description allOf version definitions'),
      source: 'field-notes',
    },
  },
);
