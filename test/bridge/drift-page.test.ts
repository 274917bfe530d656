import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DRIFT_KINDS, isUnmanagedKind } from '../../src/domain/drift.ts';
import { driftCells } from '../support/drift-cells.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/drift.md'), 'utf8');

/** Kinds that a suite of its own goes through, because no cell of the company can show them. */
const elsewhere = {
  'user.missing': 'test/bridge/drift-policy.test.ts',
  'user.unmanaged': 'test/bridge/sweep.test.ts',
  'group.unmanaged': 'test/bridge/sweep.test.ts',
  'entity.removed': 'test/bridge/entity-roles.test.ts',
  'entity.changed': 'test/bridge/entity-roles.test.ts',
};
/** Nothing that a provider, a rule or the service does leads to it: roles are given up together with their rule. */
const UNREACHED = 'entity.added';

test('docs/drift.md has a row for every kind of drift, and none that is gone', () => {
  const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z]+)` \| .+ \| .+ \| .+ \|$/gm)];

  expect(rows.map(([, kind]) => kind).toSorted()).toEqual(DRIFT_KINDS.toSorted());
});

test('every kind of drift has a cell in the tests', () => {
  const kinds = new Set<string>(driftCells.map(({ kind }) => kind));
  const known = new Set<string>([...kinds, ...Object.keys(elsewhere), UNREACHED]);

  expect(DRIFT_KINDS.filter((kind) => !known.has(kind))).toEqual([]);
  expect([...known].filter((kind) => !DRIFT_KINDS.some((each) => each === kind))).toEqual([]);
});

test.each(Object.entries(elsewhere))('%s is shown by %s', (kind, file) => {
  expect(readFileSync(join(import.meta.dirname, '../..', file), 'utf8')).toContain(kind);
});

test('what nobody manages is the only kind that is never repaired', () => {
  const never = [...page.matchAll(/^\| `([a-z.]+)` \| .+ \| never touched \| .+ \|$/gm)];

  expect(never.map(([, kind]) => kind).toSorted()).toEqual(
    DRIFT_KINDS.filter(isUnmanagedKind).toSorted(),
  );
});
