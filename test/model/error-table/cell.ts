import { setTimeout as sleep } from 'node:timers/promises';
import type { Lessons, SectionStates } from '../../../src/reconcile/deps.ts';
import type { CallRecord } from '../../../src/sandbox/calls.ts';
import type { OperationName } from '../../../src/sandbox/operations.ts';
import { select } from '../../../src/store/engine/dialect.ts';
import { createShared, updateWhere } from '../../../src/store/tables.ts';
import type { TestBridge } from '../../support/bridge.ts';
import { startTestBridge } from '../../support/bridge.ts';
import type { LeapingClock } from '../../support/leaping-clock.ts';
import { createLeapingClock } from '../../support/leaping-clock.ts';
import type { TestAnswer } from '../../support/provider.ts';
import { untilQuiet } from '../../support/timed-bridge.ts';
import type { Company, Failure, Step } from './steps.ts';
import { BUSY } from './steps.ts';

const SPEED = 0.01;
const WAIT_MS = 60_000;
const SOON_MS = 2_000;
const GATES_MS = 25 * 60 * 60_000;
const RECHECK_MS = 360_000;
const WAKE_MS = 60_000;
const TRY_MAX_MS = 60_000;
const POLL_MS = 40;

/** A bridge on which every step meets the failures of one group. */
export interface Column extends Company {
  readonly clock: LeapingClock;
  readonly bugs: string[];
}

/** One step that meets one failure. `mark` begins all its names. */
export interface Cell {
  readonly step: Step;
  readonly failure: Failure;
  readonly mark: string;
}

/** What follows from a failure. */
export interface Consequence {
  readonly step: string;
  readonly status: number;
}

interface Row {
  readonly attempts: number;
  readonly must_look: number;
  readonly due_at: number | null;
  readonly stuck_at: number | null;
}

/** A bridge with three people; `virtuals` are virtual accounts of the service. */
export async function startColumn(virtuals: readonly string[]): Promise<Column> {
  const clock = createLeapingClock(SPEED);
  const bugs: string[] = [];
  const bridge = await startTestBridge({
    clock,
    settings: { SCIM_WRITE_WAIT: `${WAIT_MS}ms`, USERS_ADOPT_ON_DELETE: 'yes' },
    prepare({ service }) {
      for (const name of virtuals) {
        const email = `${name}@example.com`;
        service.addUser({ email, fullName: `${name} Example`, virtual: true });
      }
    },
    onLog(line) {
      if (line.error !== undefined) bugs.push(JSON.stringify(line));
    },
  });
  const people: string[] = [];
  for (const name of ['one', 'two', 'three']) people.push(await bridge.addUser(name));
  // Teaches the forms.
  await bridge.addGroup('taught', people);
  return { bridge, clock, people, bugs };
}

/** The failure meets a step whose request still waits. */
export async function meetWaiting(column: Column, cell: Cell): Promise<Consequence> {
  const { step } = cell;
  const { bridge, clock } = column;
  const { calls } = bridge.sandbox;
  const write = await step.prepare(column, cell.mark);
  const attempts = step.lost === undefined ? 1 : 2;
  let answer: TestAnswer | undefined;
  const isLost = step.lost === undefined ? undefined : loseCalls(column, cell);
  const answering = write().then((given) => {
    answer = given;
    return given;
  });
  await isLost?.();
  startFailing(column, cell);
  const forms = await readForms(bridge);
  calls.reset();
  if (isLost) clock.leap(SOON_MS);
  const row = await untilRow(column, cell, (one) => !!answer || (one?.attempts ?? 0) >= attempts);
  const made = countCalls(column, cell);
  const becomes = await toConsequence(column, { row, forms });
  await end(column);
  const { status } = await answering;
  return { step: `${status < 300 ? becomes : 'refused'} (${made})`, status };
}

/** The failure meets a step whose write was acknowledged before: the service was busy first. */
export async function meetAcknowledged(column: Column, cell: Cell): Promise<Consequence> {
  const { bridge, clock } = column;
  const { calls, faults } = bridge.sandbox;
  const write = await cell.step.prepare(column, cell.mark);
  faults.add({ operation: cell.step.call, fault: BUSY, times: 1 });
  const { status } = await write();
  startFailing(column, cell);
  const forms = await readForms(bridge);
  calls.reset();
  clock.leap(GATES_MS);
  const row = await untilRow(column, cell, (one) => one?.attempts !== 1 || one.stuck_at !== null);
  const made = countCalls(column, cell);
  const becomes = await toConsequence(column, { row, forms });
  await end(column);
  return { step: `${becomes} (${made})`, status };
}

/** Calls but those that prove, later and beside everything else, that people of other cells have left. */
function countCalls({ bridge }: Column, { mark }: Cell): number {
  const isProof = ({ path }: CallRecord) =>
    /[?&]query=/.test(path) && !path.includes(`query=${mark}`);
  return bridge.sandbox.calls.recent().filter((call) => !isProof(call)).length;
}

function loseCalls(column: Column, cell: Cell): () => Promise<void> {
  const operation = cell.step.lost ?? cell.step.call;
  const fault = { kind: 'reset', at: 'before-effect' } as const;
  const lost = column.bridge.sandbox.faults.add({ operation, fault });
  return async () => {
    await untilRow(column, cell, (row) => row?.attempts === 1);
    lost.remove();
  };
}

function startFailing(column: Column, { failure, step: { call }, mark }: Cell): void {
  const { faults } = column.bridge.sandbox;
  const { fault, everywhere, alsoLooks } = failure;
  const isLook = LOOKS.has(call) && !everywhere;
  if (!isLook) faults.add({ operation: everywhere ? '*' : call, fault });
  if (!alsoLooks && !isLook) return;
  // Of this cell alone: whoever else is there is shown.
  const about = findPath(column, mark);
  for (const operation of LOOKS) faults.add({ operation, fault, about });
}

const LOOKS: ReadonlySet<OperationName> = new Set(['scim.getUser', 'groups.getGroup']);

function findPath({ bridge: { sandbox } }: Column, mark: string): string {
  const user = sandbox.service.users().find(({ email }) => email.startsWith(mark));
  const group = sandbox.service.groups().find(({ name }) => name.startsWith(mark));
  return user ? `/Users/${user.id}` : `/groups/${group?.uid ?? 'nothing'}`;
}

/** The service works again, and everything that waits is done, so that nothing of this cell is left for the next one. */
async function end(column: Column): Promise<void> {
  const { bridge, clock } = column;
  bridge.sandbox.faults.clear();
  clock.leap(GATES_MS);
  while (await isClosed(bridge)) {
    clock.leap(RECHECK_MS);
    await sleep(POLL_MS);
  }
  await untilQuiet(column);
}

/** Calls that a new look at everything makes, once everything is done. */
export async function convergeAgain(column: Column): Promise<object> {
  const { bridge, clock } = column;
  bridge.sandbox.calls.reset();
  const due = { due_at: clock.now() };
  await bridge.store.write((tx) => updateWhere(tx, 'resources', {}, due));
  clock.leap(WAKE_MS);
  await untilQuiet(column);
  return bridge.sandbox.calls.counts();
}

async function untilRow(
  { bridge, clock }: Column,
  cell: Cell,
  isOver: (row: Row | undefined) => boolean,
): Promise<Row | undefined> {
  const deadline = Date.now() + TRY_MAX_MS;
  for (;;) {
    const row = await findRow(bridge, cell);
    const isResting = (row?.due_at ?? Number.POSITIVE_INFINITY) > clock.now();
    if (isResting && isOver(row)) return row;
    if (Date.now() > deadline) throw new Error(`"${cell.step.name}" was not tried`);
    await sleep(POLL_MS);
  }
}

async function toConsequence(
  { bridge }: Column,
  { row, forms }: { row: Row | undefined; forms: string },
): Promise<string> {
  const isLearned = forms !== (await readForms(bridge));
  if (row === undefined || row.due_at === null) return isLearned ? 'form' : 'done';
  if (isLearned) return 'form, and more to do';
  if (row.stuck_at !== null) return 'stuck';
  if (await isClosed(bridge)) return 'closed';
  return row.must_look === 0 ? 'later' : 'look';
}

async function readForms({ store }: TestBridge): Promise<string> {
  const forms = await createShared<Lessons>('forms').find(store.read);
  return JSON.stringify({ ...forms, userFilter: undefined });
}

async function isClosed(bridge: TestBridge): Promise<boolean> {
  const states = await createShared<SectionStates>('sections').find(bridge.store.read);
  const entries = Object.values(states ?? {});
  if (entries.length === 0) return false;
  if (entries.some(({ problem }) => problem !== null)) return true;
  const answers = ['/Users?count=0', '/Groups?count=0'].map((path) => bridge.request('GET', path));
  return (await Promise.all(answers)).some(({ status }) => status === 503);
}

async function findRow({ store }: TestBridge, { step, mark }: Cell): Promise<Row | undefined> {
  const [row] = await select<Row>(store.read)`
    select attempts, must_look, due_at, stuck_at from resources
    where type = ${step.type} and name_folded like ${`${mark}%`}`;
  return row;
}
