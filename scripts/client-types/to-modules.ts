import type { Operation, OperationGroup } from '../../src/upstream/operations/operation.ts';
import { HEAD, toGroupModule, toGroupType } from './to-module.ts';

/** The modules of types by their file names: one of each group, and one that puts them together. */
export function toTypeModules(
  groups: Readonly<Record<string, OperationGroup>>,
): ReadonlyMap<string, string> {
  const operations: Operation[] = Object.values(groups).flatMap((group) => Object.values(group));
  const modules = Object.entries(groups).map(
    ([name, group]) => [toFile(name), toGroupModule({ name, group, operations })] as const,
  );
  return new Map([...modules, ['all.ts', toIndex(Object.keys(groups))]]);
}

function toIndex(names: readonly string[]): string {
  const files = names.toSorted((a, b) => (toFile(a) < toFile(b) ? -1 : 1));
  const imports = files.map(
    (name) => `import type { ${toGroupType(name)} } from './${toFile(name)}';\n`,
  );
  const exports = files.map((name) => `export type * from './${toFile(name)}';\n`);
  const members = names.map((name) => `  readonly ${name}: ${toGroupType(name)};\n`);
  return [
    `${HEAD}${imports.join('')}\n${exports.join('')}\n`,
    '/** Every operation of the service as `client.<group>.<operation>(args, options)`, as its documents name it. */\n',
    `export interface OperationClient {\n${members.join('')}}\n`,
  ].join('');
}

function toFile(name: string): string {
  return `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
}
