import { z } from 'zod';
import { BridgeError, isJsonObject } from '../domain/values.ts';
import type { KindFacts } from './kinds.ts';
import { kindFacts } from './kinds.ts';
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
    const description = z.globalRegistry.get(child)?.description;
    return [toSettingRow(path, inner, { description, default: fallback })];
  });
}

function toSettingRow(
  path: readonly string[],
  schema: z.core.$ZodType,
  { description, ...rest }: { readonly description: string | undefined; readonly default: unknown },
): SettingRow {
  const name = path.join('.');
  const facts = kindFacts.get(schema);
  if (facts === undefined || description === undefined) {
    throw new BridgeError('bug', `the setting ${name} has no kind or no description`);
  }
  // In upper snake case.
  const variable = path.map((key) => key.replace(/[A-Z]/g, '_$&').toUpperCase()).join('_');
  const fileVariable = facts.secret === undefined ? undefined : `${variable}_FILE`;
  return { ...facts, path, name, variable, fileVariable, description, ...rest };
}

function unwrap(schema: z.core.$ZodType): { inner: z.core.$ZodType; fallback: unknown } {
  if (schema instanceof z.ZodOptional) return unwrap(schema.def.innerType);
  if (!(schema instanceof z.ZodPrefault)) return { inner: schema, fallback: undefined };
  return { inner: unwrap(schema.def.innerType).inner, fallback: schema.def.defaultValue };
}

/** The mapping with one value set. */
export function withValue<Tree extends object>(
  tree: Tree,
  path: readonly string[],
  value: unknown,
): Tree {
  const [key = '', ...rest] = path;
  const inner = findAt(tree, [key]);
  const set = rest.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, rest, value);
  return { ...tree, [key]: set };
}

/** The value at a path, or undefined where the path leaves the mapping. */
export function findAt(tree: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), tree);
}
