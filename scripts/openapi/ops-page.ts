import { z } from 'zod';
import { isBodyOptional, listAnswers, listParameters } from '../../src/ops/document.ts';
import { opsRoutes } from '../../src/ops/routes.ts';
import { describeSchemas } from '../../src/ops/schemas/schemas.ts';

const introduction = `# What operators ask

Generated from \`src/ops/\` by \`npm run docs\`; do not edit. The same as OpenAPI 3.1: [ops-openapi.json](ops-openapi.json), and
\`GET /ops/openapi.json\` of a running bridge.

Everything is JSON below \`/ops\`, on \`port\` or on \`ops.port\`, with \`Authorization: Bearer <token>\`: \`OPS_TOKEN\` or a token of
\`scim-bridge token create --for operator\`. \`OPS_READER_TOKEN\` and tokens \`--for reader\` may \`GET\`; for the rest they are answered 403
\`forbidden\`. \`OPS_METRICS_TOKEN\` and tokens \`--for metrics\` open \`/metrics\` alone. Moments are ISO 8601 in UTC, ids are SCIM ids unless said otherwise, and names are personal. Lists answer
\`{ items, nextCursor }\`; \`nextCursor\` as \`cursor\` asks for the next page. A parameter, a value or a member of a body that is not read is
answered with 400 \`invalid\` and changes nothing, a missing or wrong token with 401, and what comes too fast (200 a second, 100 at once, for all
together) with 429. While the store cannot be used everything is 503 \`store-unusable\` with \`Retry-After\`, and a fault of the bridge
is 500 \`failed\`. Errors are \`{ code, message }\`.

The commands of the command line send these requests to \`OPS_URL\`.
`;

/** The page of the requests below `/ops`, as Markdown. */
export function toOpsPage(): string {
  const sections = [...Map.groupBy(opsRoutes, ({ tag }) => tag)].map(
    ([tag, routes]) => `## ${tag}\n\n${routes.map(toSection).join('\n')}`,
  );
  const shapes = Object.entries(describeSchemas()).map(([name, schema]) => toShape(name, schema));
  return [introduction, ...sections, `## Shapes\n\n${shapes.join('\n')}`].join('\n');
}

function toSection(route: (typeof opsRoutes)[number]): string {
  const { method, path, summary, body, file } = route;
  const parameters = listParameters(route).filter(({ in: place }) => place === 'query');
  const lines = parameters.map(
    ({ name, description = '', schema }) =>
      `| \`${name}\` | ${toKind(schema)} | ${description} |\n`,
  );
  const table = lines.length === 0 ? '' : `\n| parameter | | |\n|---|---|---|\n${lines.join('')}`;
  const asked =
    body === undefined
      ? file === undefined
        ? ''
        : `\nBody: a file (\`${file}\`).\n`
      : `\nBody: ${toLink(body)}${isBodyOptional(body) ? ', or nothing' : ''}.\n`;
  const answers = listAnswers(route)
    .filter(([status]) => Object.hasOwn(route.answers, status))
    .map(([status, name]) => `${status} ${toLink(name)}`);
  const title = `${method.toUpperCase()} /ops${path}`;
  return `### \`${title}\`\n\n${summary}\n${asked}${table}\nAnswers: ${answers.join(' · ')}.\n`;
}

function toLink(name: string): string {
  return `[${name}](#${name.toLowerCase()})`;
}

function toShape(name: string, schema: object): string {
  const { description = '' } = partSchema.parse(schema);
  const rows = listFields(schema, '', DEPTH).map(
    ([field, part]) => `| \`${field}\` | ${toKind(part)} | ${part.description ?? ''} |\n`,
  );
  const table = rows.length === 0 ? '' : `\n| | | |\n|---|---|---|\n${rows.join('')}`;
  return `### ${name}\n${description === '' ? '' : `\n${description}\n`}${table}`;
}

/** Levels of fields that are listed. */
const DEPTH = 3;

const partSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
  const: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  $ref: z.string().optional(),
});
type Part = z.output<typeof partSchema>;

/** The fields of an object, of the objects in it, and of those in its lists. */
function listFields(schema: unknown, prefix: string, depth: number): [string, Part][] {
  if (schema === undefined || depth === 0) return [];
  const { properties, anyOf = [], items } = partSchema.parse(schema);
  const here = Object.entries(properties ?? {}).flatMap(([name, part]): [string, Part][] => {
    const field = prefix === '' ? name : `${prefix}.${name}`;
    return [[field, partSchema.parse(part)], ...listFields(part, field, depth - 1)];
  });
  const within = anyOf.flatMap((part) => listFields(part, prefix, depth));
  return [...here, ...within, ...listFields(items, `${prefix}[]`, depth)];
}

/** A kind of value in a word or two. */
function toKind(schema: unknown): string {
  const part = partSchema.parse(schema);
  if (part.$ref) return toLink(part.$ref.replace(/^.*\//, ''));
  if (part.anyOf) return [...new Set(part.anyOf.map(toKind))].join(' or ');
  if (part.enum) return part.enum.map((one) => `\`${one}\``).join(', ');
  if (part.const !== undefined) return `\`${part.const}\``;
  if (part.type === 'array') return `list of ${toKind(part.items)}`;
  if (part.format === 'date-time') return 'moment';
  return [part.type ?? 'anything'].flat().join(' or ');
}
