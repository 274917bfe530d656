import { z } from 'zod';
import { BridgeError } from '../domain/errors.ts';
import { type KindFacts, kindFacts } from './kinds.ts';
import { settingsSchema } from './schema.ts';

/** One setting as the schema describes it. */
export interface SettingRow extends KindFacts {
  /** Path in the YAML file: `['upstream', 'requestsPerSecond']`. */
  readonly path: readonly string[];
  /** The path with dots: `upstream.requestsPerSecond`. */
  readonly name: string;
  /** The environment variable: `UPSTREAM_REQUESTS_PER_SECOND`. */
  readonly variable: string;
  /** The variable that names a file holding this secret; undefined when the setting is none. */
  readonly fileVariable: string | undefined;
  readonly description: string;
  /** As written in YAML; undefined when the setting has no default. */
  readonly default: unknown;
}

/** Every setting in the order of the schema, those of sections too. An undocumented one is a bug that ends the import. */
export const settingRows: readonly SettingRow[] = listRows(settingsSchema, []);

function listRows(schema: z.ZodObject, parent: readonly string[]): SettingRow[] {
  return Object.entries(schema.shape).flatMap(([key, child]) => {
    const path = [...parent, key];
    const { inner, fallback } = unwrap(child);
    if (inner instanceof z.ZodObject) return listRows(inner, path);
    return [toSettingRow({ path, schema: child, inner, fallback })];
  });
}

/** The environment variable of a path: upper snake case. */
function toVariable(path: readonly string[]): string {
  return path.map((key) => key.replace(/[A-Z]/g, '_$&').toUpperCase()).join('_');
}

interface Leaf {
  readonly path: readonly string[];
  readonly schema: z.core.$ZodType;
  readonly inner: z.core.$ZodType;
  readonly fallback: unknown;
}

function toSettingRow({ path, schema, inner, fallback }: Leaf): SettingRow {
  const name = path.join('.');
  const facts = kindFacts.get(inner);
  const description = z.globalRegistry.get(schema)?.description;
  if (facts === undefined || description === undefined) {
    throw new BridgeError('bug', `the setting ${name} has no kind or no description`);
  }
  const variable = toVariable(path);
  const fileVariable = facts.secret === undefined ? undefined : `${variable}_FILE`;
  return { ...facts, path, name, variable, fileVariable, description, default: fallback };
}

function unwrap(schema: z.core.$ZodType): { inner: z.core.$ZodType; fallback: unknown } {
  if (schema instanceof z.ZodOptional) return unwrap(schema.def.innerType);
  if (!(schema instanceof z.ZodPrefault)) return { inner: schema, fallback: undefined };
  return { inner: unwrap(schema.def.innerType).inner, fallback: schema.def.defaultValue };
}
