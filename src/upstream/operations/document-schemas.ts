import type { OperationGroup } from './operation.ts';

/** The forms that the content of documents has. */
export const documentSchemas = {
  /** One schema by its version: `latest`, `v1`, … */
  getDocumentDataSchema: {
    id: 'documentSchemas.getDocumentDataSchema',
    api: 'rest',
    method: 'GET',
    path: '/document-schemas/{id}',
    pathParameters: { id: 'string' },
    query: { format: 'string' },
    response: {
      kind: 'object',
      fields: ['$schema', '$id', 'title', 'description', 'allOf', 'version', 'definitions'],
    },
    repeat: 'safe',
    source: 'field-notes',
  },
} as const satisfies OperationGroup;
