import { isJsonObject } from '../domain/json.ts';

/** A YAML mapping as it was read; its values are unknown until the schema has seen them. */
export type Tree = Readonly<Record<string, unknown>>;

/** True for a mapping: neither null nor a list. */
export function isTree(value: unknown): value is Tree {
  return isJsonObject(value);
}

/** The tree without empty entries: `token:` without a value means "not set". */
export function withoutEmpty(tree: Tree): Tree {
  const entries = Object.entries(tree)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => [key, isTree(value) ? withoutEmpty(value) : value] as const);
  return Object.fromEntries(entries);
}

/** The tree with one value set. A section that is no mapping stays as it is: the schema reports it. */
export function withValue(tree: Tree, path: readonly string[], value: string): Tree {
  const [key, ...rest] = path;
  if (key === undefined) return tree;
  if (rest.length === 0) return { ...tree, [key]: value };
  const section = tree[key] ?? {};
  return isTree(section) ? { ...tree, [key]: withValue(section, rest, value) } : tree;
}

/** The value at a path, or undefined where the path leaves the tree. */
export function findAt(tree: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isTree(value) ? value[key] : undefined), tree);
}
