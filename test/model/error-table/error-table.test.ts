import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Verdict } from '../../../src/reconcile/outcome.ts';
import { classify } from '../../../src/reconcile/outcome.ts';
import type { UpstreamErrorCode } from '../../../src/upstream/errors.ts';
import { classifyStatus, UpstreamError } from '../../../src/upstream/errors.ts';
import type { Company } from '../../support/company.ts';
import { readBridge, readService, withoutGone } from '../../support/company.ts';
import type { Cell, Column, Consequence } from './cell.ts';
import { convergeAgain, meetAcknowledged, meetWaiting, startColumn } from './cell.ts';
import type { Failure, Step } from './steps.ts';
import { COLUMNS_OF, FAILURES, STEPS, TOLD, VERDICTS } from './steps.ts';

type Page = ReadonlyMap<string, ReadonlyMap<string, string>>;

function readPage(): Page {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/writes.md'), 'utf8');
  const [, section = ''] = text.split(/^## (?=What follows from a failed call|Seats)/m);
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const start = rows.findIndex(([first]) => first === 'step');
  const [head, ...lines] = rows.slice(start);
  if (start < 0 || head === undefined) throw new Error('docs/writes.md has no table of steps');
  return new Map(
    lines.map(([step = '', ...cells]) => [
      step,
      new Map(cells.map((cell, index) => [head[index + 1] ?? '', cell])),
    ]),
  );
}

const page = readPage();
const steps = Object.values(STEPS).flat();
const columns = Object.values(COLUMNS_OF).flat();
const failures = FAILURES.flat();

test('docs/writes.md has a line for every step and a column for every failure', () => {
  expect([...page.keys()].sort()).toEqual(steps.map(({ name }) => name).sort());
  for (const cells of page.values()) expect([...cells.keys()].sort()).toEqual([...columns].sort());
  expect(new Set(failures.map(({ column }) => column))).toEqual(new Set(columns));
});

test('every status but success is classified like one that every step meets', () => {
  const met = failures.flatMap(({ fault }) =>
    fault.kind === 'status' && fault.status >= 300
      ? [JSON.stringify(classifyStatus(fault.status))]
      : [],
  );
  for (let status = 300; status < 600; status += 1)
    expect(met, String(status)).toContain(JSON.stringify(classifyStatus(status)));
});

test('every code of an error has a verdict', () => {
  const classified = Object.entries(VERDICTS).map(([code, verdict]) => [
    code,
    judgeCode(code, verdict),
  ]);

  expect(Object.fromEntries(classified)).toEqual(VERDICTS);
});

describe.concurrent('what follows from', () => {
  for (const group of FAILURES) {
    describe(group.map(({ name }) => name).join(' or '), { concurrent: true }, () => {
      let column: Column;
      beforeAll(async () => {
        column = await startColumn(listMarks(steps.filter((step) => step.isVirtual)));
      });
      afterAll(() => column.bridge.stop());

      for (const [row, step] of steps.entries()) {
        test(step.name, { concurrent: false }, async () => {
          const failure = findFailure(group, row);

          expect(await meetTwice(column, { step, failure })).toEqual(readWanted(failure, step));
        });
      }

      test('is no bug, no call for what is done, and what the bridge shows', {
        concurrent: false,
      }, async () => {
        expect(await convergeAgain(column)).toEqual({});
        expect(column.bugs).toEqual([]);
        const believed = steps.filter((step, row) => !isLie(findFailure(group, row), step));
        const { shown, held } = await readBoth(column, listMarks(believed));
        expect(held).toEqual(shown);
      });
    });
  }
});

function findFailure(group: (typeof FAILURES)[number], row: number): Failure {
  return group[row % group.length] ?? group[0];
}

/** The service says that something holds already, or is not there, and is believed. */
function isLie({ column }: Failure, { name, lost }: Step): boolean {
  if (column === '404, gone') return true;
  if (column === '404' && lost !== undefined) return true;
  return column === '409' && (name === 'add a member' || name === 'add an admin');
}

async function readBoth({ bridge }: Column, marks: readonly string[]) {
  const isMarked = ([name]: [string, unknown]) => marks.some((mark) => name.startsWith(mark));
  const pick = ({ people, groups }: Company): Company => ({
    people: Object.fromEntries(Object.entries(people).filter(isMarked)),
    groups: Object.fromEntries(Object.entries(groups).filter(isMarked)),
  });
  const shown = pick(await readBridge(bridge));
  return { shown, held: pick(withoutGone(readService(bridge.sandbox), shown)) };
}

interface Consequences {
  readonly waiting: Consequence;
  /** Where that is refused: when the provider has its answer already. */
  readonly acknowledged?: Consequence;
}

async function meetTwice(column: Column, cell: Omit<Cell, 'mark'>): Promise<Consequences> {
  const [first = '', second = ''] = listMarks([cell.step]);
  const waiting = await meetWaiting(column, { ...cell, mark: first });
  if (waiting.status < 400) return { waiting };
  return { waiting, acknowledged: await meetAcknowledged(column, { ...cell, mark: second }) };
}

function readWanted({ column }: Failure, { name, success }: Step): Consequences {
  const step = page.get(name)?.get(column) ?? '';
  if (!step.startsWith('refused')) return { waiting: { step, status: success } };
  return {
    waiting: { step, status: TOLD[column] ?? 400 },
    acknowledged: { step: step.replace('refused', 'stuck'), status: success },
  };
}

function listMarks(some: readonly Step[]): string[] {
  return some.flatMap((step) => ['a', 'b'].map((letter) => `p${steps.indexOf(step)}${letter}`));
}

function judgeCode(code: string, verdict: Verdict): Verdict {
  const outcome = verdict === 'later' ? 'not-sent' : verdict === 'unknown' ? 'unknown' : 'answered';
  const failure = { operation: 'a test', detail: '', retry: 'later', outcome } as const;
  return classify(new UpstreamError(code as UpstreamErrorCode, failure)).verdict;
}
