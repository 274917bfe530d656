// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `documentSchemas.getDocumentDataSchema`. */
export interface DocumentSchemasGetDocumentDataSchemaArguments {
  readonly path: {
    readonly id: string;
  };
  readonly query?: {
    readonly format?: string | undefined;
  } | undefined;
}

/** Answer of `documentSchemas.getDocumentDataSchema`. */
export interface DocumentSchemasGetDocumentDataSchemaAnswer {
  '$schema': unknown;
  '$id': unknown;
  title: unknown;
  description: unknown;
  allOf: unknown;
  version: unknown;
  definitions: unknown;
}

/** Operations of `client.documentSchemas`. */
export interface DocumentSchemasOperations {
  /**
   * One schema by its version: `latest`, `v1`, …
   *
   * `GET /document-schemas/{id}`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `id`; `query`: `format`
   */
  readonly getDocumentDataSchema: Call<DocumentSchemasGetDocumentDataSchemaArguments, DocumentSchemasGetDocumentDataSchemaAnswer>;
}
