import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { readBacklog } from '../../../src/store/resources/backlog.ts';
import { startBridgeOf } from '../../support/bridge.ts';
import type { Counterpart } from '../../support/counterpart.ts';
import { createLeapingClock } from '../../support/leaping-clock.ts';
import { type TimedBridge, untilEnded, untilQuiet } from '../../support/timed-bridge.ts';
import { OPERATIONS, type Operation } from './cases.ts';
import { readBridge, readService, withoutGone } from './company.ts';
import type { FaultCase, Lasting } from './faults.ts';

/** How many of the bridge's milliseconds pass in one of the machine's. */
const HURRY = 10;
/** Longer than any gate is shut, than a closed section is left alone, and than forms are believed. */
const DAY_MS = 25 * 60 * 60_000;
/** Longer than workers ever sleep. */
const WORKERS_SLEEP_MS = 30_000;
const EVERY = 5;

/** A group that is created twice is there twice: nothing in the service keeps the bridge from it. */
const startDefault = () => startSandbox({ shape: { uniqueGroupNames: 'nowhere' } });

/** One cell: an operation that meets a fault. `mark` is in all its names. */
interface Cell {
  readonly fault: FaultCase;
  readonly lasts: Lasting;
  readonly operation: Operation;
  readonly mark: string;
}

/**
 * The columns of these faults, each with a bridge of its own that every operation meets. What was
 * acknowledged becomes true, what was refused leaves nothing, and there is nothing left to do.
 */
export function runMatrix(title: string, faults: readonly FaultCase[]): void {
  runColumns(title, { faults, startService: startDefault });
}

/** The columns of these faults in front of another service. */
export function runColumns(
  title: string,
  { faults, startService }: { faults: readonly FaultCase[] } & Pick<ColumnPlan, 'startService'>,
): void {
  describe(title, { concurrent: true }, () => {
    for (const [index, fault] of faults.entries()) {
      for (const lasts of fault.lasts) runColumn({ fault, lasts, startService, index });
    }
  });
}

/** A fault and the service in which operations meet it. */
interface ColumnPlan {
  readonly fault: FaultCase;
  readonly lasts: Lasting;
  readonly startService: () => Promise<Counterpart>;
  /** Which of the columns it is. */
  readonly index: number;
}

function runColumn(plan: ColumnPlan): void {
  const { fault, lasts } = plan;
  const name = `${fault.name}, ${lasts === 'once' ? 'one call' : 'every call for a while'}`;
  describe(name, { concurrent: true }, () => {
    let column: TimedBridge<Counterpart>;
    beforeAll(async () => {
      column = await startColumn(plan);
    });
    afterAll(async () => {
      await column.bridge.stop();
      await column.bridge.sandbox.stop();
    });

    OPERATIONS.forEach((operation, index) => {
      if (fault.otherwise?.[operation.name] === 'left out') return;
      // Each fault with some operations, each operation with some faults: what they do together is the same for all.
      if ((index + plan.index) % EVERY !== 0) return;
      test(operation.name, { concurrent: false }, async () => {
        await runCell(column, { fault, lasts, operation, mark: `p${index}` });
      });
    });

    test('a second look at everything makes no call', { concurrent: false }, async () => {
      const { bridge } = column;
      bridge.sandbox.calls.reset();

      await converge(column);

      expect(bridge.sandbox.calls.counts()).toEqual({});
    });
  });
}

async function startColumn(plan: ColumnPlan): Promise<TimedBridge<Counterpart>> {
  const { fault, lasts } = plan;
  const { timeout } = fault;
  const clock = createLeapingClock(timeout === undefined ? HURRY : 1);
  const settings = {
    SCIM_WRITE_WAIT: lasts === 'once' ? '60s' : '60ms',
    ...(timeout === undefined ? {} : { UPSTREAM_TIMEOUT: timeout }),
  };
  return { bridge: await startBridgeOf(await plan.startService(), { settings, clock }), clock };
}

async function runCell(column: TimedBridge<Counterpart>, cell: Cell): Promise<void> {
  const { bridge, clock } = column;
  const { fault, lasts, operation, mark } = cell;
  const { sandbox } = bridge;
  clock.leap(DAY_MS);
  const request = await operation.prepare(bridge, mark);
  await untilQuiet(column);
  const before = readService(sandbox);
  const scope =
    lasts === 'once' ? { operation: operation.call, times: 1 } : { operation: '*' as const };
  const set = sandbox.faults.add({ ...scope, fault: fault.fault(clock.now()) });

  const sending = request.send();
  await (lasts === 'once' ? untilEnded(column, sending) : set.until(1));
  const answer = await sending;
  sandbox.faults.clear();
  await untilQuiet(column);
  await untilOpen(column);

  expect(set.met).toBeGreaterThan(0);
  expect(answer.status).toSatisfy(toExpectation(cell));
  expect(readService(sandbox)).toEqual(answer.status < 300 ? request.change(before) : before);
  expect(await readBacklog(bridge.store.read)).toMatchObject({ due: 0, stuck: 0 });
  const shown = await readBridge(bridge);
  expect(shown).toEqual(withoutGone(readService(sandbox), shown));
}

function toExpectation({ fault, lasts, operation }: Cell): (status: number) => boolean {
  const ends = lasts === 'once' ? (fault.otherwise?.[operation.name] ?? fault.ends) : undefined;
  return ends === 'refused'
    ? (status) => status >= 400 && status < 500
    : (status) => status >= 200 && status < 300;
}

/** Everything is converged again, whether it waits for something or not. */
async function converge(column: TimedBridge<Counterpart>): Promise<void> {
  const { bridge, clock } = column;
  for (const table of ['users', 'groups'] as const) {
    const due = { due_at: clock.now() };
    await bridge.store.write((tx) => tx.updateTable(table).set(due).execute());
  }
  clock.leap(WORKERS_SLEEP_MS);
  await untilQuiet(column);
}

/** Waits until closed sections are found to be open again. */
async function untilOpen({ bridge, clock }: TimedBridge<Counterpart>): Promise<void> {
  for (const type of ['Users', 'Groups']) {
    while ((await bridge.request('GET', `/${type}?count=0`)).status === 503) {
      clock.leap(DAY_MS);
      await sleep(5);
    }
  }
}
