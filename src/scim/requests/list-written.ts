import { assertNever } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { WrittenPath } from '../../domain/kept-request.ts';
import type { GroupInput } from '../dialect/parse-group.ts';
import type { UserInput } from '../dialect/parse-user.ts';
import type { PatchStep } from '../dialect/patch-step.ts';
import { toPathText } from '../schema/resource-schemas.ts';

/** What the body of a write says: a resource, or the steps of a PATCH. */
export type Content = UserInput | GroupInput | readonly PatchStep[];

/** Most paths that are kept of one request. */
const PATHS_MAX = 50;

/**
 * Attributes that a request writes, as the bridge understands it. Names come from the schemas alone, because
 * unknown names and filters may hold personal data.
 * @param content undefined: nothing is written
 */
export function listWritten(content: Content | undefined): WrittenPath[] {
  if (content === undefined) return [];
  if ('attributes' in content) return sum(ofInput(content));
  return sum(content.map(ofStep));
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

function ofInput(input: UserInput | GroupInput): WrittenPath[] {
  const written = ofAttributes(input.attributes);
  const { members, admins }: Partial<GroupInput> = input;
  if (members) written.push({ op: 'set', path: 'members', values: members.length });
  if (admins) written.push({ op: 'set', path: 'admins', values: admins.length });
  const cleared = [...input.mentioned].filter(
    (name) => !written.some(({ path }) => isIn(path, name)),
  );
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
