import { documentGroup } from './fields/documents.ts';
import type { OperationGroup } from './operation.ts';

/** Groups of documents: folders, and sites when they are public. */
export const documentGroups = {
  /** Creates a document group. */
  createNewDocumentGroup: {
    id: 'documentGroups.createNewDocumentGroup',
    api: 'rest',
    method: 'POST',
    path: '/document-groups',
    body: {
      'title*': 'string',
      parent_entity_uid: 'string | null',
      for_everyone_access_role_id: 'string | null',
      sort_order: 'number',
      key: 'string | null',
    },
    response: { kind: 'object', fields: [...documentGroup, 'access_record'] },
    repeat: 'unsafe',
    source: 'REST: documentGroups',
  },
  /** Deletes a document group. One that holds documents is known to be refused (400). */
  removeDocumentGroup: {
    id: 'documentGroups.removeDocumentGroup',
    api: 'rest',
    method: 'DELETE',
    path: '/document-groups/{document_group_uid}',
    pathParameters: { document_group_uid: 'string' },
    response: { kind: 'object', fields: documentGroup },
    repeat: 'safe',
    source: 'REST: documentGroups',
  },
  /** One document group. */
  retrieveDocumentGroup: {
    id: 'documentGroups.retrieveDocumentGroup',
    api: 'rest',
    method: 'GET',
    path: '/document-groups/{document_group_uid}',
    pathParameters: { document_group_uid: 'string' },
    response: { kind: 'object', fields: [...documentGroup, 'access_record'] },
    repeat: 'safe',
    source: 'REST: documentGroups',
  },
  /**
   * Document groups. With `version: 2` the answer is `{ result, position }`, and `start_position` goes on from a position.
   */
  retrieveListOfDocumentGroups: {
    id: 'documentGroups.retrieveListOfDocumentGroups',
    api: 'rest',
    method: 'GET',
    path: '/document-groups',
    query: {
      query: 'string',
      offset: 'integer',
      limit: 'integer',
      version: 'integer',
      condition: 'integer',
      start_position: 'string',
      role: 'integer',
    },
    response: { kind: 'array', fields: documentGroup },
    paging: 'start-position',
    repeat: 'safe',
    source: 'REST: documentGroups',
  },
  /**
   * Changes a document group. Neither body nor answer is documented; these are the ones in use. A key or host name in use
   * answers 409.
   */
  updateDocumentGroup: {
    id: 'documentGroups.updateDocumentGroup',
    api: 'rest',
    method: 'PATCH',
    path: '/document-groups/{document_group_uid}',
    pathParameters: { document_group_uid: 'string' },
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
    response: { kind: 'object', fields: [...documentGroup, 'access_record'] },
    repeat: 'safe',
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
    source: 'REST: documentGroups',
  },
} as const satisfies OperationGroup;
