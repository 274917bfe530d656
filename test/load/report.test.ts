import { expect, test } from 'vitest';
import type { Latency } from './open-loop.ts';
import { toLoadSection } from './report.ts';
import type { LoadOptions, LoadRun } from './run.ts';

const options: LoadOptions = {
  size: { users: 50_000, groups: 500, groupSizes: [10_000, 1_000], membersPerGroup: 80 },
  setups: [],
  rates: [25],
  seconds: 60,
  warmUpSeconds: 5,
  drainSecondsMax: 60,
  seed: 1,
  say: () => undefined,
};
const machine = {
  description: '2 × processor',
  node: 'v24.21.0',
  date: '2026-11-22',
  commit: 'abcdef0',
  load: 0.5,
};
const reads: Latency = { requests: 1_200, p50Ms: 2, p99Ms: 50, maxMs: 60 };
const writes: Latency = { requests: 300, p50Ms: 900, p99Ms: 3_101, maxMs: 3_200 };
const run: LoadRun = {
  setup: { engine: 'postgres', processes: 3 },
  rate: 25,
  load: { sent: 1_500, failures: 0, firstFailure: undefined, reads, writes, elapsedMs: 60_000 },
  cores: 0.25,
  residentMb: { before: 130, most: 151 },
  calls: { calls: 321, inBusiestSecond: 5, crowdMs: 1_003, tooMany: 0 },
  dueAtEnd: 1_234,
  drain: { kind: 'measured', seconds: 17 },
  stuck: 0,
  bridgeOutput: '',
};

test('a run is two rows: what the provider met, and what it cost', () => {
  const section = toLoadSection([run], options, machine);
  expect(section).toContain(
    '| 3 processes on PostgreSQL | 25 | 1,500 | 1,500 | 0 | 2.00 | 50.0 | 60.0 | met | 900 | 3,101 | 3,200 | **missed** |',
  );
  expect(section).toContain(
    '| 3 processes on PostgreSQL | 25 | 0.25 | 130 | 151 | 321 | 5 | 1003 | 0 | 1,234 | 17.0 | 0 |',
  );
  expect(section).toContain('50,000 users and 500 groups, of 10,000 and 1,000 and else 80 members');
});

test('a failure is plain to see', () => {
  const load = { ...run.load, failures: 2 };
  const section = toLoadSection([{ ...run, load }], options, machine);
  expect(section).toContain('| 1,500 | 1,498 | **2** |');
});

const drains = [
  { kind: 'estimated', seconds: 1_234, cell: 'about 1,234' },
  { kind: 'estimated', seconds: Number.POSITIVE_INFINITY, cell: 'no end in sight' },
] as const;

for (const { cell, ...drain } of drains) {
  test(`a backlog that was not drained is told as an estimate: ${cell}`, () => {
    expect(toLoadSection([{ ...run, drain }], options, machine)).toContain(`| ${cell} | 0 |`);
  });
}
