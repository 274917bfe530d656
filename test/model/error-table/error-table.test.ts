import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classify, type Verdict } from '../../../src/reconcile/verdict.ts';
import { UpstreamError, type UpstreamErrorCode } from '../../../src/upstream/errors.ts';
import { classifyStatus } from '../../../src/upstream/status-table.ts';
import {
  type Column,
  type Consequence,
  meetAcknowledged,
  meetWaiting,
  startColumn,
} from './cell.ts';
import { COLUMNS_OF, FAILURES, type Failure, TOLD, VERDICTS } from './failures.ts';
import { readPage } from './page.ts';
import { STEPS, type Step } from './steps.ts';

const page = readPage();
const steps = Object.values(STEPS).flat();
const columns = Object.values(COLUMNS_OF).flat();
/** The first failure of each column. */
const met = FAILURES.filter(
  ({ column }, index) => FAILURES.findIndex((each) => each.column === column) === index,
);
const EVERY = 5;

test('docs/failures.md has a line for every step and a column for every failure', () => {
  expect([...page.keys()].sort()).toEqual(steps.map(({ name }) => name).sort());
  for (const cells of page.values()) expect([...cells.keys()].sort()).toEqual([...columns].sort());
  expect(new Set(FAILURES.map(({ column }) => column))).toEqual(new Set(columns));
});

test('every status but success is classified like one that every step meets', () => {
  const classified = FAILURES.flatMap(({ fault }) =>
    fault.kind === 'status' && fault.status >= 300
      ? [JSON.stringify(classifyStatus(fault.status))]
      : [],
  );
  for (let status = 300; status < 600; status += 1) {
    expect(classified, String(status)).toContain(JSON.stringify(classifyStatus(status)));
  }
});

test('every code of an error has a verdict', () => {
  const classified = Object.entries(VERDICTS).map(([code, verdict]) => [
    code,
    judgeCode(code, verdict),
  ]);

  expect(Object.fromEntries(classified)).toEqual(VERDICTS);
});

describe.concurrent('what follows from', () => {
  for (const [columnIndex, failure] of met.entries()) {
    describe(failure.name, { concurrent: true }, () => {
      let column: Column;
      beforeAll(async () => {
        column = await startColumn(failure, listMarks(steps.filter((step) => step.isVirtual)));
      });
      afterAll(() => column.bridge.stop());

      for (const [row, step] of steps.entries()) {
        // Each failure at some steps, each step with some failures: what they do together is the same for all.
        if ((row + columnIndex) % EVERY !== 0) continue;
        test(step.name, { concurrent: false }, async () => {
          expect(await meetTwice(column, step)).toEqual(readWanted(failure, step));
        });
      }

      test('is no bug', { concurrent: false }, () => {
        expect(column.bugs).toEqual([]);
      });
    });
  }
});

interface Consequences {
  /** While the provider waits for the answer. */
  readonly waiting: Consequence;
  /** Where that is refused: when the provider has its answer already. */
  readonly acknowledged?: Consequence;
}

async function meetTwice(column: Column, step: Step): Promise<Consequences> {
  const [first = '', second = ''] = listMarks([step]);
  const waiting = await meetWaiting(column, { step, mark: first });
  if (waiting.status < 400) return { waiting };
  return { waiting, acknowledged: await meetAcknowledged(column, { step, mark: second }) };
}

/** What docs/failures.md says. */
function readWanted({ column }: Failure, { name, success }: Step): Consequences {
  const step = page.get(name)?.get(column) ?? '';
  if (!step.startsWith('refused')) return { waiting: { step, status: success } };
  return {
    waiting: { step, status: TOLD[column] ?? 400 },
    acknowledged: { step: step.replace('refused', 'stuck'), status: success },
  };
}

/** Two names for each step. */
function listMarks(some: readonly Step[]): string[] {
  return some.flatMap((step) => ['a', 'b'].map((letter) => `p${steps.indexOf(step)}${letter}`));
}

function judgeCode(code: string, verdict: Verdict): Verdict {
  const outcome = verdict === 'later' ? 'not-sent' : verdict === 'unknown' ? 'unknown' : 'answered';
  const failure = { operation: 'a test', detail: '', retry: 'later', outcome } as const;
  return classify(new UpstreamError(code as UpstreamErrorCode, failure)).verdict;
}
