import { document, documentListed } from './fields/documents.ts';
import type { OperationGroup } from './operation.ts';

/** Documents. */
export const documents = {
  /** Creates a document, empty or as a copy of another. */
  createNewDocument: {
    id: 'documents.createNewDocument',
    api: 'rest',
    method: 'POST',
    path: '/documents',
    body: {
      'sort_order*': 'number',
      title: 'string',
      parent_entity_uid: 'string | null',
      for_everyone_access_role_id: 'string | null',
      clone_uid: 'string | null',
      clone_version: 'number | null',
      key: 'string | null',
    },
    response: { kind: 'object', fields: document },
    repeat: 'unsafe',
    source: 'field-notes',
  },
  /** Deletes a document. One that has others below it is known to be refused (400). */
  removeDocument: {
    id: 'documents.removeDocument',
    api: 'rest',
    method: 'DELETE',
    path: '/documents/{document_uid}',
    pathParameters: { document_uid: 'string' },
    response: { kind: 'object', fields: documentListed },
    repeat: 'safe',
    source: 'field-notes',
  },
  /** One document. The documents give neither method nor path; these are the ones in use. */
  retrieveDocument: {
    id: 'documents.retrieveDocument',
    api: 'rest',
    method: 'GET',
    path: '/documents/{document_uid}',
    pathParameters: { document_uid: 'string' },
    response: { kind: 'object', fields: document },
    repeat: 'safe',
    source: 'REST: documents',
  },
  /**
   * Documents without their content. With `version: 2` the answer is `{ result, position }`, and `start_position` goes on
   * from a position.
   */
  retrieveListOfDocuments: {
    id: 'documents.retrieveListOfDocuments',
    api: 'rest',
    method: 'GET',
    path: '/documents',
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
    response: { kind: 'array', fields: documentListed },
    paging: 'start-position',
    repeat: 'safe',
    source: 'REST: documents',
  },
  /** Changes, publishes or moves a document. */
  updateDocument: {
    id: 'documents.updateDocument',
    api: 'rest',
    method: 'PATCH',
    path: '/documents/{document_uid}',
    pathParameters: { document_uid: 'string' },
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
    response: { kind: 'object', fields: document },
    repeat: 'safe',
    source: 'REST: documents',
  },
} as const satisfies OperationGroup;
