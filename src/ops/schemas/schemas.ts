import { z } from 'zod';
import { accessSchemas } from './access.ts';
import { driftSchemas } from './drift.ts';
import { type JsonOf, t } from './kinds.ts';
import { recordSchemas } from './records.ts';
import { resourceSchemas } from './resources.ts';
import { stateSchemas } from './state.ts';

/** Bodies and answers of every request below `/ops`, by their name in the description. */
export const opsSchemas = {
  Problem: z
    .looseObject({ code: t.text('Stable, for programs.'), message: t.text('For people.') })
    .describe('Why it did not work. Some codes have more beside them: `hash`, `near`, `found`.'),
  ...stateSchemas,
  ...resourceSchemas,
  ...driftSchemas,
  ...recordSchemas,
  ...accessSchemas,
  OpenApi: z.looseObject({ openapi: z.literal('3.1.0') }),
} as const satisfies Readonly<Record<string, z.ZodType>>;

/** These schemas as JSON Schema, with references among them. */
export function describeSchemas(): Readonly<Record<string, object>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(opsSchemas)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    // zod also writes the limits of its integers, and its patterns of moments and of base64.
    override({ jsonSchema }) {
      if (/^(date-time|base64)$/.test(jsonSchema.format ?? '')) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  );
}

/** The name of one of these schemas. */
export type OpsSchemaName = keyof typeof opsSchemas;

/** The JSON that the schema of this name describes. */
export type OpsJson<Name extends OpsSchemaName> = JsonOf<(typeof opsSchemas)[Name]>;
