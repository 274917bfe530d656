import { isJsonObject } from '../domain/json.ts';

/** A YAML mapping as it was read; its values are unknown until the schema has seen them. */
export type Tree = Readonly<Record<string, unknown>>;

/** True for a mapping: neither null nor a list. */
export function isTree(value: unknown): value is Tree {
  return isJsonObject(value);
}

/** The tree with one value set. */
export function withValue(tree: Tree, path: readonly string[], value: unknown): Tree {
  const [key = '', ...rest] = path;
  const inner = tree[key];
  const set = rest.length === 0 ? value : withValue(isTree(inner) ? inner : {}, rest, value);
  return { ...tree, [key]: set };
}

/** The value at a path, or undefined where the path leaves the tree. */
export function findAt(tree: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isTree(value) ? value[key] : undefined), tree);
}
