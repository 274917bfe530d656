import type { OperationGroup } from '../../src/upstream/operations/operation.ts';
import { toOpenApiOperation } from './to-operation.ts';
import { type Schema, toNamedSchemas } from './to-schema.ts';

/** The operations of the service as an OpenAPI 3.1 document, as JSON text. */
export function toOpenApiText(groups: Groups, version: string): string {
  return `${JSON.stringify(toDocument(groups, version), null, 1)}\n`;
}

/** Groups of operations by name. */
type Groups = Readonly<Record<string, OperationGroup>>;

function toDocument(groups: Groups, version: string): Schema {
  return {
    openapi: '3.1.0',
    info: { title: 'The work-management service, as scim-bridge calls it', version, description },
    servers: [
      { url: '{base_url}', variables: { base_url: { default: 'https://company.example' } } },
    ],
    security: [{ bearer: [] }],
    tags: Object.keys(groups).map((name) => ({ name })),
    paths: toPaths(groups),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: toNamedSchemas(Object.values(groups).flatMap((group) => Object.values(group))),
      responses: { Failure: { description: 'The service refused, or failed.' } },
    },
  };
}

const description = `Written from the operations of scim-bridge by \`npm run build:client\`; do not edit.

Fields of answers have a type only where one is known. \`x-source\` is where an operation is described, \`field-notes\` one that
only the running service shows; \`x-safe-to-repeat\` says that sending it twice does no more than sending it once.

Where two groups share a path but for the names of its parameters, the path of the second ends in \`#\` and the name of its group,
which is not sent: OpenAPI has no other way to tell them apart.`;

function toPaths(groups: Groups): Schema {
  const paths = new Map<string, Record<string, Schema>>();
  const patterns = new Map<string, string>();
  for (const [group, operations] of Object.entries(groups)) {
    for (const operation of Object.values(operations)) {
      const path = operation.api === 'scim' ? operation.path : `/api/latest${operation.path}`;
      const pattern = path.replace(/\{\w+\}/g, '{}');
      const first = patterns.get(pattern) ?? path;
      patterns.set(pattern, first);
      const key = first === path ? path : `${path}#${group}`;
      const item = paths.get(key) ?? {};
      item[operation.method.toLowerCase()] = toOpenApiOperation(operation, group);
      paths.set(key, item);
    }
  }
  return Object.fromEntries(paths);
}
