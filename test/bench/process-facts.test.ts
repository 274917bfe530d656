import { expect, test } from 'vitest';
import { parseCoreList } from './cores.ts';
import { findProcessFacts, parseCpuMs, parseMemoryMb } from './process-facts.ts';

test('resident memory is read in MB of a million bytes', () => {
  const status = 'VmHWM:\t  200000 kB\nVmRSS:\t   100000 kB\n';
  expect(parseMemoryMb(status, 'VmRSS')).toBe(102.4);
  expect(parseMemoryMb(status, 'VmHWM')).toBe(204.8);
});

test('processor time is found behind any name of a process', () => {
  const stat = '7 (a (b) c) S 1 7 7 0 -1 4194304 900 0 0 0 250 50 0 0 20 0 11 0 1234 5 6';
  expect(parseCpuMs(stat)).toBe(3_000);
});

test.runIf(process.platform === 'linux')('this process has memory and has used its time', () => {
  expect(findProcessFacts(process.pid)?.residentMb).toBeGreaterThan(10);
  expect(findProcessFacts(process.pid)?.cpuMs).toBeGreaterThan(0);
});

const lists = [
  { list: '0-1', want: [0, 1] },
  { list: '0-2,7', want: [0, 1, 2, 7] },
  { list: '3', want: [3] },
  { list: '', want: [] },
];
for (const { list, want } of lists) {
  test(`the cores of '${list}' are ${want.join(', ') || 'none'}`, () =>
    expect(parseCoreList(list)).toEqual(want));
}
