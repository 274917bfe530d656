import { z } from 'zod';
import { parseStored } from '../../store/engine/columns.ts';
import * as all from './all.ts';
import type { JsonOf } from './kinds.ts';

/** A moment in epoch milliseconds as ISO 8601; null stays null. */
export function toMoment(ms: number): string;
export function toMoment(ms: number | null): string | null;
export function toMoment(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

type ObjectName = {
  [Name in OpsSchemaName]: (typeof opsSchemas)[Name] extends z.ZodObject ? Name : never;
}[OpsSchemaName];

/** `createdAt` as `created_at`. */
type Snake<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;

/** How a row may hold a value: a moment in epoch milliseconds, a flag as 0 or 1, a part as JSON text or with such members. */
type Stored<Value> =
  | Value
  | (Value extends boolean ? number : never)
  | (Value extends string ? (string extends Value ? number : never) : never)
  | (Value extends readonly (infer Item)[] ? readonly Stored<Item>[] : never)
  | (Value extends object ? string | StoredPart<Value> : never);

type StoredPart<Value> = {
  readonly [Name in keyof Value as string extends Name ? never : Name]: Stored<Value[Name]>;
};

/** True if the row has the member, by its own name or in snake case. */
type Has<Row, Name, Value> = Name extends keyof Row
  ? [Row[Name]] extends [Stored<Value>]
    ? true
    : false
  : Snake<Name> extends keyof Row
    ? [Row[Snake<Name>]] extends [Stored<Value>]
      ? true
      : false
    : false;

/** The members of an answer that its row does not have, and others that are to differ from it. */
type More<Json, Row> = {
  readonly [Name in keyof Json as Has<Row, Name, Json[Name]> extends true ? never : Name]: Stored<
    Json[Name]
  >;
} & { readonly [Name in keyof Json]?: Stored<Json[Name]> };

/** Renders a row as the JSON of its schema. @param more members that the row does not have, or has otherwise */
export function toView<const Name extends ObjectName, Row extends object>(
  name: Name,
  row: Row,
  more: More<OpsJson<Name>, Row>,
): OpsJson<Name> {
  return parseView<Name>(renderMembers(opsSchemas[name], { ...row, ...more }));
}

function renderMembers({ shape }: z.ZodObject, row: object): Readonly<Record<string, unknown>> {
  const members: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shape)) {
    const key = name in row ? name : toSnake(name);
    const value = render(schema, Reflect.get(row, key) ?? null);
    if (value !== undefined) members[name] = value;
  }
  return members;
}

function render(schema: unknown, value: unknown): unknown {
  if (value === null) return schema instanceof z.ZodOptional ? undefined : null;
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return render(schema.unwrap(), value);
  }
  if (schema instanceof z.ZodISODateTime && typeof value === 'number') return toMoment(value);
  if (schema instanceof z.ZodBoolean) return value === true || value === 1;
  if (schema instanceof z.ZodString) return String(value);
  const isPart = [z.ZodObject, z.ZodArray, z.ZodRecord].some((kind) => schema instanceof kind);
  return isPart ? renderPart(schema, value) : value;
}

function renderPart(schema: unknown, value: unknown): unknown {
  if (typeof value === 'string') return parseStored<unknown>(value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((one) => render(schema.element, one));
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  const members = renderMembers(schema, value);
  // A part may have other members beside those that are described.
  return schema.def.catchall instanceof z.ZodNever ? members : { ...value, ...members };
}

function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `More` makes sure that each member is there. */
function parseView<Name extends ObjectName>(members: Readonly<Record<string, unknown>>) {
  return members as OpsJson<Name>;
}

/** Bodies and answers of every request below `/ops`, by their name in the description. */
export const opsSchemas = all;

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
