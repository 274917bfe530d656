import { z } from 'zod';
import { parseStored } from '../../store/engine/columns.ts';
import { type OpsJson, type OpsSchemaName, opsSchemas } from '../schemas/schemas.ts';

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

/** How a row may hold a value: a moment in epoch milliseconds, a flag as 0 or 1, a part as JSON text. */
type Held<Value> =
  | Value
  | (Value extends boolean ? number : never)
  | (Value extends string ? (string extends Value ? number : never) : never)
  | (Value extends object ? string : never);

/** True if the row has the member, by its own name or in snake case. */
type Has<Row, Name, Value> = Name extends keyof Row
  ? [Row[Name]] extends [Held<Value>]
    ? true
    : false
  : Snake<Name> extends keyof Row
    ? [Row[Snake<Name>]] extends [Held<Value>]
      ? true
      : false
    : false;

/** The members of an answer that its row does not have, and others that are to differ from it. */
type More<Json, Row> = {
  readonly [Name in keyof Json as Has<Row, Name, Json[Name]> extends true
    ? never
    : Name]: Json[Name];
} & Partial<Json>;

/**
 * Renders a row as the JSON that its schema describes: each member by its own name or in snake case, moments from epoch
 * milliseconds, flags from 0 and 1, parts from JSON text. Other columns are left out.
 * @param more members that the row does not have, or has otherwise
 */
export function toView<const Name extends ObjectName, Row extends object>(
  name: Name,
  row: Row,
  more: More<OpsJson<Name>, Row>,
): OpsJson<Name> {
  const schema: z.ZodObject = opsSchemas[name];
  const given = new Map<string, unknown>(Object.entries(row));
  const others = new Map<string, unknown>(Object.entries(more));
  const members: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(schema.shape)) {
    const stored = given.get(key) ?? given.get(toSnake(key)) ?? null;
    const value = others.has(key) ? others.get(key) : render(member, stored);
    if (value !== undefined) members[key] = value;
  }
  return parseView<Name>(members);
}

function render(schema: unknown, stored: unknown): unknown {
  if (stored === null) return schema instanceof z.ZodOptional ? undefined : null;
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return render(schema.unwrap(), stored);
  }
  if (schema instanceof z.ZodISODateTime) return toMoment(Number(stored));
  if (schema instanceof z.ZodBoolean) return stored === true || stored === 1;
  if (schema instanceof z.ZodString) return String(stored);
  const isPart = schema instanceof z.ZodObject || schema instanceof z.ZodArray;
  const isText = typeof stored === 'string' && (isPart || schema instanceof z.ZodRecord);
  return isText ? parseStored<unknown>(stored) : stored;
}

function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `More` makes sure that each member is there. */
function parseView<Name extends ObjectName>(members: Readonly<Record<string, unknown>>) {
  return members as OpsJson<Name>;
}
