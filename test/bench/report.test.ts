import { expect, test } from 'vitest';
import type { BenchResult, ScenarioResult } from './bench.ts';
import type { Racer } from './client-race.ts';
import { toFigure } from './markdown-table.ts';
import type { Measurement } from './measure.ts';
import { toRaceSection, toReport } from './report.ts';

const machine = {
  description: '2 × Processor, 8 GB, linux x64',
  node: 'v24.21.0',
  date: '2026-11-02',
  commit: 'abc1234',
  load: 0.1,
};

const verdicts = [
  { why: 'a part of the yardstick is enough', perSecond: 10_000, want: 'met' },
  { why: 'less than the part is a miss', perSecond: 9_999, want: '**missed**' },
];
for (const { why, perSecond, want } of verdicts) {
  test(`toReport: ${why}`, () => {
    const report = toReport(toResult([toScenario({ perSecond })]), machine);
    expect(rowOf(report, 'GET user').at(-1)).toBe(want);
  });
}

test('toReport: what failed is no result, however fast', () => {
  const report = toReport(toResult([toScenario({ perSecond: 99_999, failures: 3 })]), machine);
  expect(rowOf(report, 'GET user').at(-1)).toBe('**3 failed**');
});

test('toReport: the two sizes of groups are compared', () => {
  const scenarios = [
    toScenario({ name: 'member', perSecond: 3_000 }),
    toScenario({ name: 'member-large', perSecond: 1_500 }),
  ];
  const report = toReport(toResult(scenarios), machine);
  expect(rowOf(report, 'how much slower')).toEqual([
    'how much slower the larger group is',
    '2.00 ×',
    '≤ 1.2 ×',
    '**missed**',
  ]);
});

test('toReport: the memory is the most of all scenarios', () => {
  const scenarios = [toScenario({ residentMb: 120 }), toScenario({ residentMb: 131 })];
  const report = toReport(toResult(scenarios), machine);
  expect(rowOf(report, 'resident memory, the most')).toContain('131');
  expect(rowOf(report, 'resident memory, the most').at(-1)).toBe('**missed**');
});

test.each([
  { readyMs: 500, want: 'met' },
  { readyMs: 510, want: '**missed**' },
])('toReport: a start of $readyMs ms is $want', ({ readyMs, want }) => {
  const result = { ...toResult([]), startTime: { readyMs, expressMs: 100, expressMb: 60 } };
  expect(rowOf(toReport(result, machine), 'start until ready').at(-1)).toBe(want);
});

test('toReport: a busy machine is told, a quiet one is not', () => {
  const quiet = toResult([]);
  const express = toMeasurement({ perSecond: 40_000, cpuShare: 0.5 });
  const busy = { ...quiet, limits: { ...quiet.limits, express } };
  expect(toReport(busy, machine)).toContain('bare express got 50 % of its core');
  expect(toReport(quiet, machine)).not.toContain('Other programs');
});

test('toReport: a row tells which part of its floor it reaches', () => {
  const floor = toMeasurement({ perSecond: 20_000 });
  const report = toReport(toResult([{ ...toScenario({ perSecond: 10_000 }), floor }]), machine);
  expect(rowOf(report, 'GET user').slice(4, 6)).toEqual(['0.25 ×', '0.50 ×']);
});

test('toReport: a peer stands beside what was measured of both', () => {
  const measurements = new Map([['get', toMeasurement({ perSecond: 500 })]]);
  const scenarios = [toScenario({ perSecond: 1_000 }), toScenario({ name: 'filter' })];
  const report = toReport(toResult(scenarios), machine, [{ name: 'another', measurements }]);
  const section = report.slice(report.indexOf('Beside another'));
  expect(rowOf(section, 'GET user').slice(1, 4)).toEqual(['1,000', '500', '2.00 ×']);
  expect(section.match(/^\| GET user/gm)).toHaveLength(1);
});

test.each([
  { why: 'six tenths of Pool, ahead of fetch', fetch: 5_999, client: 6_000, want: 'met' },
  { why: 'less than that', fetch: 1, client: 5_999, want: '**missed**' },
  { why: 'no faster than fetch', fetch: 7_000, client: 7_000, want: '**missed**' },
])('toRaceSection: $why is $want', ({ fetch, client, want }) => {
  const race = { pool: toRacer(10_000), fetch: toRacer(fetch), client: toRacer(client) };
  expect(rowOf(toRaceSection(race), 'client').at(-1)).toBe(want);
});

const figures = [
  { value: 12_345.6, want: '12,346' },
  { value: 99.94, want: '99.9' },
  { value: 1.5, want: '1.50' },
  { value: undefined, want: '–' },
  { value: Number.NEGATIVE_INFINITY, want: '–' },
];
for (const { value, want } of figures) {
  test(`toFigure: ${value} reads ${want}`, () => expect(toFigure(value)).toBe(want));
}

function rowOf(report: string, title: string): string[] {
  const line = report.split('\n').find((one) => one.startsWith(`| ${title}`)) ?? '';
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function toResult(scenarios: readonly ScenarioResult[]): BenchResult {
  return {
    options: {
      size: { users: 10_000, groups: 500, largeGroups: [1_000, 10_000] },
      durations: { warmUpMs: 1_000, measuredMs: 4_000 },
      connections: 16,
      only: [],
      cores: { measured: 0, surroundings: 1 },
      profileFolder: undefined,
      say: () => undefined,
    },
    firstReadMs: 2_000,
    residentMbAtRest: 80,
    limits: {
      wire: toMeasurement({ perSecond: 90_000 }),
      express: toMeasurement({ perSecond: 40_000 }),
      commitsPerSecond: 8_000,
    },
    race: { pool: toRacer(10_000), fetch: toRacer(5_000), client: toRacer(8_000) },
    scenarios,
    startTime: { readyMs: 500, expressMs: 100, expressMb: 60 },
    bridgeOutput: '',
  };
}

function toRacer(perSecond: number): Racer {
  return { perSecond, cpuMicrosPerRequest: 10 };
}

interface Seen {
  readonly name?: string;
  readonly perSecond?: number;
  readonly failures?: number;
  readonly residentMb?: number;
  readonly cpuShare?: number;
}

function toScenario({ name = 'get', ...seen }: Seen): ScenarioResult {
  const source = () => undefined;
  return {
    scenario: {
      name,
      title: 'GET user',
      aim: 0.25,
      ...{ yardstick: 'express', floor: 'read' },
      source,
    },
    measurement: toMeasurement(seen),
    yardstick: toMeasurement({ perSecond: 40_000 }),
    floor: toMeasurement({ perSecond: 40_000 }),
    callsPerRequest: 0,
  };
}

function toMeasurement(seen: Seen): Measurement {
  const { perSecond = 1, failures = 0, residentMb = 1, cpuShare = 1 } = seen;
  return {
    requests: 1,
    perSecond,
    p50Ms: 1,
    p99Ms: 2,
    failures,
    firstFailure: undefined,
    server: { cpuMicrosPerRequest: 50, cpuShare, residentMbMax: residentMb },
  };
}
