import { isJsonObject } from '../domain/json.ts';

/** The mapping with one value set. */
export function withValue(tree: object, path: readonly string[], value: unknown): object {
  const [key = '', ...rest] = path;
  const inner = findAt(tree, [key]);
  const set = rest.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, rest, value);
  return { ...tree, [key]: set };
}

/** The value at a path, or undefined where the path leaves the mapping. */
export function findAt(tree: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), tree);
}
