import { assertNever } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { WrittenPath } from '../../domain/kept-request.ts';
import type { Work } from '../../domain/turns.ts';
import { readGroup } from '../dialect/parse-group.ts';
import { readPatch } from '../dialect/parse-patch.ts';
import { readUser, type UserInput } from '../dialect/parse-user.ts';
import type { PatchStep } from '../dialect/patch-step.ts';
import { ScimError } from '../errors.ts';
import { UNCOUNTED } from '../repairs.ts';
import { groupSchema, toPathText, userSchema } from '../schema/resource-schemas.ts';

/** Most paths that are kept of one request. */
const PATHS_MAX = 50;

/**
 * Attributes that a request writes, as the bridge understands it. Names come from the schemas alone, because
 * unknown names and filters may hold personal data. A body that cannot be understood writes nothing.
 */
export function* listWritten(
  type: 'user' | 'group',
  method: string,
  body: unknown,
): Work<WrittenPath[]> {
  if (method === 'DELETE' || body === undefined) return [];
  try {
    if (method !== 'PATCH') return sum(yield* ofResource(type, body));
    const schema = type === 'user' ? userSchema : groupSchema;
    const context = { schema, repairs: UNCOUNTED, operationsMax: Number.POSITIVE_INFINITY };
    return sum((yield* readPatch(body, context)).map(ofStep));
  } catch (error) {
    if (error instanceof ScimError) return [];
    throw error;
  }
}

function ofStep(step: PatchStep): WrittenPath {
  switch (step.kind) {
    case 'set':
      return { op: step.op, path: toPathText(step.target.path), values: count(step.value) };
    case 'clear':
      return { op: 'remove', path: toPathText(step.target.path), values: 0 };
    case 'exclude':
      return { op: 'remove', path: toPathText(step.target.path), values: step.values.length };
    case 'users':
      return { op: step.op, path: step.list, values: step.ids.length };
    case 'users-where':
      return { op: 'remove', path: step.list, values: 1 };
    default:
      return assertNever(step);
  }
}

function* ofResource(type: 'user' | 'group', body: unknown): Work<WrittenPath[]> {
  if (type === 'user') return ofInput(yield* readUser(body, UNCOUNTED), []);
  const input = yield* readGroup(body, UNCOUNTED);
  const lists = (['members', 'admins'] as const).flatMap((path): WrittenPath[] => {
    const list = input[path];
    return list === undefined ? [] : [{ op: 'set', path, values: list.length }];
  });
  return ofInput(input, lists);
}

function ofInput({ attributes, mentioned }: UserInput, lists: WrittenPath[]): WrittenPath[] {
  const written = [...ofAttributes(attributes), ...lists];
  const cleared = [...mentioned].filter((name) => !written.some(({ path }) => isIn(path, name)));
  return [...written, ...cleared.map((path): WrittenPath => ({ op: 'set', path, values: 0 }))];
}

function isIn(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}:`);
}

/** Paths of a canonical resource; an extension or object gives the paths of its parts. */
function ofAttributes(attributes: JsonObject, prefix = ''): WrittenPath[] {
  return Object.entries(attributes).flatMap(([name, value]): WrittenPath[] => {
    if (!isJsonObject(value)) return [{ op: 'set', path: prefix + name, values: count(value) }];
    return ofAttributes(value, `${prefix}${name}${name.includes(':') ? ':' : '.'}`);
  });
}

function count(value: JsonValue): number {
  return Array.isArray(value) ? value.length : 1;
}

/** Many operations of one kind are one line. */
function sum(all: readonly WrittenPath[]): WrittenPath[] {
  const byPath = new Map<string, WrittenPath>();
  for (const one of all) {
    const key = `${one.op} ${one.path}`;
    const values = (byPath.get(key)?.values ?? 0) + one.values;
    byPath.set(key, { ...one, values });
  }
  return [...byPath.values()].slice(0, PATHS_MAX);
}
