import { array, extend, object, operations, shape } from './row.ts';

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
export const documents = operations('documents', {
  createNewDocument: {
    about: 'Creates a document, empty or as a copy of another.',
    call: 'POST /documents',
    body: {
      'sort_order*': 'number',
      title: 'string',
      parent_entity_uid: 'string | null',
      for_everyone_access_role_id: 'string | null',
      clone_uid: 'string | null',
      clone_version: 'number | null',
      key: 'string | null',
    },
    answer: object(document),
    source: 'field-notes',
  },
  removeDocument: {
    about: 'Deletes a document. One that has others below it is known to be refused (400).',
    call: 'DELETE /documents/{document_uid}',
    answer: object(documentListed),
    source: 'field-notes',
  },
  retrieveDocument: {
    about: 'One document. The documents give neither method nor path; these are the ones in use.',
    call: 'GET /documents/{document_uid}',
    answer: object(document),
  },
  retrieveListOfDocuments: {
    about:
      'Documents without their content. With `version: 2` the answer is `{ result, position }`, ' +
      'and `start_position` goes on from a position.',
    call: 'GET /documents',
    query: {
      query: 'string',
      offset: 'integer',
      limit: 'integer',
      version: 'integer',
      condition: 'integer',
      fields: 'string',
      start_position: 'string',
      include_search_preview: 'boolean',
    },
    answer: array(documentListed),
    paging: 'start-position',
  },
  updateDocument: {
    about: 'Changes, publishes or moves a document.',
    call: 'PATCH /documents/{document_uid}',
    body: {
      title: 'string',
      sort_order: 'number',
      publish_date: 'string | null',
      data: 'object',
      access: "'for_everyone' | 'by_invite'",
      parent_entity_uid: 'string | null',
      for_everyone_access_role_id: 'string',
      public: 'boolean',
      redirect_url: 'string | null',
      hidden_on_public_site: 'boolean',
      settings: 'object',
      backup_version: 'number',
      published_version: "number | null | 'current'",
      key: 'string | null',
      icon_type: "'emoji' | 'material_icon' | null",
      icon_value: 'string | null',
      icon_color: 'integer | null',
      notification_period_start: 'string | null',
      notification_period_end: 'string | null',
      slug: 'string | null',
    },
    answer: object(document),
  },
});

/** Groups of documents: folders, and sites when they are public. */
export const documentGroups = operations('documentGroups', {
  createNewDocumentGroup: {
    about: 'Creates a document group.',
    call: 'POST /document-groups',
    body: {
      'title*': 'string',
      parent_entity_uid: 'string | null',
      for_everyone_access_role_id: 'string | null',
      sort_order: 'number',
      key: 'string | null',
    },
    answer: object(extend(documentGroup, 'access_record')),
  },
  removeDocumentGroup: {
    about: 'Deletes a document group. One that holds documents is known to be refused (400).',
    call: 'DELETE /document-groups/{document_group_uid}',
    answer: object(documentGroup),
  },
  retrieveDocumentGroup: {
    about: 'One document group.',
    call: 'GET /document-groups/{document_group_uid}',
    answer: object(extend(documentGroup, 'access_record')),
  },
  retrieveListOfDocumentGroups: {
    about:
      'Document groups. With `version: 2` the answer is `{ result, position }`, and ' +
      '`start_position` goes on from a position.',
    call: 'GET /document-groups',
    query: {
      query: 'string',
      offset: 'integer',
      limit: 'integer',
      version: 'integer',
      condition: 'integer',
      start_position: 'string',
      role: 'integer',
    },
    answer: array(documentGroup),
    paging: 'start-position',
  },
  updateDocumentGroup: {
    about:
      'Changes a document group. Neither body nor answer is documented; these are the ones in ' +
      'use. A key or host name in use answers 409.',
    call: 'PATCH /document-groups/{document_group_uid}',
    body: {
      title: 'string',
      parent_entity_uid: 'string | null',
      sort_order: 'number',
      access: 'string',
      for_everyone_access_role_id: 'string | null',
      hostname: 'string | null',
      redirect_url: 'string | null',
      key: 'string | null',
      icon_type: 'string | null',
      icon_value: 'string | null',
      icon_color: 'integer | null',
      hidden_on_public_site: 'boolean',
      news_feed: 'unknown',
      index_document_uid: 'string | null',
    },
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
export const documentSchemas = operations('documentSchemas', {
  getDocumentDataSchema: {
    about: 'One schema by its version: `latest`, `v1`, …',
    call: 'GET /document-schemas/{id}',
    pathParameters: { id: 'string' },
    query: { format: 'string' },
    answer: object('$schema $id title description allOf version definitions'),
    source: 'field-notes',
  },
});
