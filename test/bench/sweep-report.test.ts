import { expect, test } from 'vitest';
import type { SweepResult } from './sweep-bench.ts';
import { toSweepSection } from './sweep-report.ts';

const machine = {
  description: '2 × Processor',
  node: 'v24.21.0',
  date: '2026-11-02',
  commit: undefined,
  load: 0.1,
};

test.each([
  { why: 'half as much again is as flat as it has to be', cpuMs: 45_000, want: 'met' },
  { why: 'more is a miss', cpuMs: 46_000, want: '**missed**' },
])('toSweepSection: $why', ({ cpuMs, want }) => {
  const result = { small: toResult(10_000, 300), large: toResult(1_000_000, cpuMs) };
  const section = toSweepSection(result, machine);
  expect(lastCellOf(section, 'what a member')).toBe(want);
});

test.each([
  { peakResidentMb: 300, want: 'met' },
  { peakResidentMb: 301, want: '**missed**' },
  { peakResidentMb: undefined, want: '**missed**' },
])('toSweepSection: $peakResidentMb MB are $want', ({ peakResidentMb, want }) => {
  const large = { ...toResult(1_000_000, 30_000), peakResidentMb };
  const section = toSweepSection({ small: toResult(10_000, 300), large }, machine);
  expect(lastCellOf(section, 'the most resident')).toBe(want);
});

test('toSweepSection: what nobody could measure is no result', () => {
  const result = toResult(10, undefined);
  const section = toSweepSection({ small: result, large: result }, machine);
  expect(lastCellOf(section, 'what a member')).toBe('**missed**');
});

test('toSweepSection: a first read is told with its floor', () => {
  const result = toResult(10, 1);
  const section = toSweepSection({ small: result, large: result }, machine);
  expect(section).toContain('took 90.0 s');
  expect(section).toContain('takes 4.00 s of processor time');
  expect(section).toContain('alone 20.0 s');
});

function toResult(memberships: number, cpuMs: number | undefined): SweepResult {
  const latency = { requests: 1, p50Ms: 1, p99Ms: 2, maxMs: 3 };
  return {
    contents: { users: 1, groups: 1, memberships },
    firstRead: { wallMs: 90_000, peakResidentMb: 1, writeAloneMs: 20_000 },
    sweep: { wallMs: 1, cpuMs, calls: 1 },
    readAloneMs: 4_000,
    peakResidentMb: 1,
    latency: { during: latency, service: latency, alone: latency },
  };
}

function lastCellOf(section: string, title: string): string | undefined {
  const line = section.split('\n').find((one) => one.startsWith(`| ${title}`)) ?? '';
  return line.split('|').at(-2)?.trim();
}
