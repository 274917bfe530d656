import { storedFile, storedFileTypes } from './fields/card-parts.ts';
import type { OperationGroup } from './operation.ts';

/** Files in a property of a card that only those see who may see the card. */
export const restrictedAccessCustomPropertyFiles = {
  /** Attaches a file. */
  attachFileToCustomProperty: {
    id: 'restrictedAccessCustomPropertyFiles.attachFileToCustomProperty',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_uid}/custom-properties/{property_uid}/files',
    pathParameters: { card_uid: 'string', property_uid: 'string' },
    body: { 'file*': 'file' },
    content: 'multipart',
    response: {
      kind: 'object',
      fields: [...storedFile, 'custom_property_uid'],
      types: storedFileTypes,
    },
    repeat: 'unsafe',
    source: 'REST: restrictedAccessCustomPropertyFiles',
  },
  /** Deletes a file. */
  deleteCustomPropertyFile: {
    id: 'restrictedAccessCustomPropertyFiles.deleteCustomPropertyFile',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_uid}/custom-properties/{property_uid}/files/{id}',
    pathParameters: { card_uid: 'string', property_uid: 'string', id: 'string' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: restrictedAccessCustomPropertyFiles',
  },
  /**
   * What is known of a file, and in `url` where to fetch it. With `redirect: true` the answer is where that leads. Newer
   * installations take `response_type` instead and redirect unless it is `json`.
   */
  getCustomPropertyFile: {
    id: 'restrictedAccessCustomPropertyFiles.getCustomPropertyFile',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_uid}/custom-properties/{property_uid}/files/{id}',
    pathParameters: { card_uid: 'string', property_uid: 'string', id: 'string' },
    query: { redirect: 'boolean', download: 'boolean', response_type: 'string' },
    response: {
      kind: 'redirect',
      fields: [
        'id',
        'name',
        'size',
        'mime_type',
        'entity_type',
        'created',
        'updated',
        'card_uid',
        'custom_property_uid',
        'author_uid',
        'card_cover',
        'url',
      ],
      types: storedFileTypes,
    },
    repeat: 'safe',
    undocumented: ['response_type'],
    source: 'REST: restrictedAccessCustomPropertyFiles',
  },
  /** Renames a file or makes it the cover. */
  updateCustomPropertyFile: {
    id: 'restrictedAccessCustomPropertyFiles.updateCustomPropertyFile',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_uid}/custom-properties/{property_uid}/files/{id}',
    pathParameters: { card_uid: 'string', property_uid: 'string', id: 'string' },
    body: { name: 'string', card_cover: 'boolean' },
    response: {
      kind: 'object',
      fields: [...storedFile, 'custom_property_uid'],
      types: storedFileTypes,
    },
    repeat: 'safe',
    source: 'REST: restrictedAccessCustomPropertyFiles',
  },
} as const satisfies OperationGroup;
