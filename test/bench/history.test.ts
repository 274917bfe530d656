import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  type RecordedRun,
  readRuns,
  recordRun,
  toHistoryPage,
  toHistoryPicture,
} from './history.ts';

const docs = new URL('../../docs/', import.meta.url);
const readDoc = (name: string) => readFileSync(new URL(name, docs), 'utf8');

const toRun = (commit: string, ofYardstick: number): RecordedRun => ({
  date: '2026-11-27',
  commit,
  machine: '2 × Processor',
  load: 0.1,
  expressPerSecond: 40_000,
  rows: [{ name: 'get', title: 'GET user', perSecond: 1_000, ofYardstick, cpuMicros: 50 }],
});

test('the page and the picture of the history are written from what was recorded', () => {
  const recorded = readRuns(new URL('figures.json', docs).pathname);
  expect(readDoc('figures.md')).toBe(toHistoryPage(recorded, 'figures.svg'));
  expect(readDoc('figures.svg')).toBe(toHistoryPicture(recorded));
});

test('a recorded run is the last column, and those before stay as they were', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-history-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'figures.json');
  copyFileSync(new URL('figures.json', docs), file);
  const before = readRuns(file);

  recordRun(file, toRun('abc', 0.5));

  expect(readRuns(file)).toEqual([...before, toRun('abc', 0.5)]);
});

test('what a run did not measure is a dash, and has no bar', () => {
  const first = toRun('abc', 0.25);
  const second = { ...toRun('def', 0.5), rows: [] };

  const page = toHistoryPage([first, second], 'figures.svg');

  expect(page).toContain('| GET user | 0.25 × | – |');
  expect(page).toContain('| GET user | 50.0 | – |');
  expect(toHistoryPicture([first, second]).match(/<rect/g)).toHaveLength(1);
});

test('the highest bar ends at the upper edge of its chart', () => {
  const picture = toHistoryPicture([toRun('abc', 0.25), toRun('def', 0.5)]);
  const heights = [...picture.matchAll(/<rect[^>]* height="([\d.]+)"/g)].map(
    ([, height]) => height,
  );
  expect(heights).toEqual(['55.0', '110.0']);
});
