import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, FaultRule } from '../../src/sandbox/faults.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { getRow, handlers, isOperationName } from '../../src/sandbox/operations.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SeededRandom } from '../model/interleavings/seeded-random.ts';
import { createSeededRandom } from '../model/interleavings/seeded-random.ts';
import type { Administrator } from './administrator.ts';
import { drawTrespass } from './administrator.ts';
import type { Manner } from './client.ts';
import type { Company } from './company.ts';
import type { Lives } from './lives.ts';
import type { Operation } from './operations.ts';
import { createProvider } from './operations.ts';
import type { Operator } from './operator.ts';

const MOMENTS = ['now', 'change', 'look', 'audit page'] as const;
const CALL_MAX_MS = 1_500;
/** How much longer than half a second a process stands still at most: longer than what it holds is held for it. */
const FREEZE_MAX_MS = 3_000;
const TRESPASSES_MAX = 6;
const TIMES_MAX = 6;

/** A database server that can go away and come back with what it holds. */
export interface Restartable {
  down(how: 'crash' | 'order'): Promise<void>;
  up(): Promise<void>;
}

/** What disturbances act on. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly lives: Lives;
  readonly operator: Operator;
  readonly administrator: Administrator;
  readonly postgres: Restartable | undefined;
}

interface Disturbance {
  readonly kind: Kind | 'resume';
  readonly note?: object;
  begin(stage: Stage): unknown;
}

interface Drawing {
  readonly random: SeededRandom;
  readonly processes: number;
  readonly company: Company;
}

type Kind = keyof typeof deck;

/** Each kind of disturbance: how often it comes before all have come, and how it is drawn. */
const deck = {
  kill: { count: 4, draw: (drawing: Drawing) => drawEnd(drawing, 'kill') },
  terminate: { count: 1, draw: (drawing: Drawing) => drawEnd(drawing, 'terminate') },
  freeze: { count: 1, draw: drawFreeze },
  'restart postgres': { count: 1, draw: drawRestart },
  fault: { count: 9, draw: drawFault },
  trespasses: { count: 4, draw: drawTrespasses },
  unmanaged: { count: 3, draw: drawUnmanaged },
  sweep: { count: 2, draw: () => toRequest('/sweeps') },
  pause: { count: 1, draw: () => toRequest('/pause') },
  approve: { count: 2, draw: () => ({ begin: ({ operator }: Stage) => operator.approveAll() }) },
} satisfies Record<string, { count: number; draw(drawing: Drawing): Omit<Disturbance, 'kind'> }>;

type Drawn = Omit<Disturbance, 'kind'>;

function toRequest(path: string): Drawn {
  return { begin: ({ operator }) => operator.ask('POST', path, {}) };
}

const drawSlot = ({ random, processes }: Drawing): number => Math.floor(random.next() * processes);

function drawEnd(drawing: Drawing, how: 'kill' | 'terminate'): Drawn {
  const slot = drawSlot(drawing);
  const moment = drawing.random.pick(MOMENTS);
  const delayMs = drawing.random.next() * 40;
  return {
    note: { slot, moment, delayMs },
    async begin({ sandbox, lives }) {
      await untilMoment(sandbox, moment);
      await sleep(delayMs);
      await lives.renew(slot, how);
    },
  };
}

async function untilMoment({ calls }: Sandbox, moment: (typeof MOMENTS)[number]): Promise<void> {
  if (moment === 'now') return;
  const isMeant = (method: string, operation: string) =>
    moment === 'audit page'
      ? operation === 'auditLogs.retrieveAuditLogEvents'
      : (method === 'GET') === (moment === 'look');
  const from = Date.now();
  while (Date.now() - from < CALL_MAX_MS) {
    const last = calls.recent().at(-1);
    if (last !== undefined && last.at >= from && isMeant(last.method, last.operation)) return;
    await sleep(1);
  }
}

function drawFreeze(drawing: Drawing): Drawn {
  const slot = drawSlot(drawing);
  const forMs = 500 + drawing.random.next() * FREEZE_MAX_MS;
  return { note: { slot, forMs }, begin: ({ lives }) => lives.freeze(slot, forMs) };
}

function drawRestart({ random }: Drawing): Drawn {
  const how = random.pick(['crash', 'order'] as const);
  const awayMs = random.next() * 800;
  return {
    note: { how, awayMs },
    async begin({ postgres }) {
      await postgres?.down(how);
      await sleep(awayMs);
      await postgres?.up();
    },
  };
}

function drawTrespasses({ random, company }: Drawing): Drawn {
  const count = Math.ceil(random.next() * TRESPASSES_MAX);
  const draw = () => drawTrespass(company, random) ?? [];
  const trespasses = Array.from({ length: count }, draw).flat();
  return {
    note: { trespasses: trespasses.map(({ text }) => text) },
    begin({ administrator }) {
      for (const trespass of trespasses) trespass.carryOut(administrator.service);
    },
  };
}

function drawUnmanaged({ random }: Drawing): Drawn {
  const seed = Math.floor(random.next() * 2 ** 32);
  return {
    note: { seed },
    begin: ({ administrator }) => administrator.changeOwn(createSeededRandom(seed)),
  };
}

/** What may go wrong with a call without anything being refused for good. */
const faults: readonly ((random: SeededRandom) => Fault)[] = [
  (random) => ({ kind: 'delay', delayMs: Math.ceil(random.next() * 700) }),
  () => ({ kind: 'status', status: 429 }),
  () => ({ kind: 'status', status: 429, headers: { 'retry-after': '1' } }),
  (random) => ({ kind: 'status', status: random.pick([500, 502, 503]) }),
  (random) => ({ kind: 'status', status: random.pick([500, 503]), effect: 'done' }),
  () => ({ kind: 'hang' }),
  () => ({ kind: 'hang', effect: 'done' }),
  () => ({ kind: 'reset', at: 'before-effect' }),
  () => ({ kind: 'reset', at: 'after-effect' }),
  () => ({ kind: 'reset', at: 'mid-answer' }),
  () => ({ kind: 'html' }),
  () => ({ kind: 'truncated' }),
];

const UNUSED = ['scim.addGroup'];
const creations = ['scim.addUser', 'groups.createGroup'] as const;
const used = Object.keys(handlers)
  .filter(isOperationName)
  .filter((name) => !UNUSED.includes(name));
const mutating = used.filter((name) => getRow(name).method !== 'GET');

function drawFault({ random }: Drawing): Drawn {
  const chance = random.next();
  const list = chance < 0.5 ? creations : chance < 0.85 ? mutating : used;
  const rule: FaultRule = {
    operation: chance < 0.25 ? '*' : random.pick<OperationName>(list),
    fault: random.pick(faults)(random),
    skip: Math.floor(random.next() * 3),
    times: Math.ceil(random.next() * TIMES_MAX),
  };
  return { note: { rule }, begin: ({ sandbox }) => void sandbox.faults.add(rule) };
}

/** One entry of a schedule: what an actor of the provider does and how it takes it if nobody answers, or a disturbance. */
export type Scheduled =
  | { readonly actor: number; readonly operation: Operation; readonly manner: Manner }
  | Disturbance;

interface ScheduleOptions {
  readonly seed: number;
  readonly operations: number;
  readonly actors: number;
  readonly processes: number;
  readonly hasPostgres: boolean;
}

const SPACING = 4;
const PAUSE = 12;

/** Everything that is done to the bridge, in order. It depends on the seed alone. */
export function createSchedule(company: Company, options: ScheduleOptions): Scheduled[] {
  const random = createSeededRandom(options.seed);
  const drawOperation = createProvider(company, random);
  const kinds = (Object.keys(deck) as Kind[])
    .filter((kind) => options.hasPostgres || kind !== 'restart postgres')
    .flatMap((kind) => Array<Kind>(deck[kind].count).fill(kind));
  const nextActor = dealOut([...Array(options.actors).keys()], random);
  const nextKind = dealOut(kinds, random);
  const scheduled: Scheduled[] = [];
  let pausedUntil: number | undefined;
  for (let n = 0; n < options.operations; n += 1) {
    const actor = nextActor();
    const hangsUpAfterMs = random.chance(0.03) ? random.next() * 100 : undefined;
    const manner = { repeats: random.chance(0.7), hangsUpAfterMs };
    scheduled.push({ actor, operation: drawOperation(actor), manner });
    if (n === pausedUntil) {
      pausedUntil = undefined;
      scheduled.push({ kind: 'resume', ...toRequest('/resume') });
    }
    if (!random.chance(1 / SPACING)) continue;
    const kind = nextKind();
    if (kind === 'pause' && pausedUntil !== undefined) continue;
    if (kind === 'pause') pausedUntil = n + PAUSE;
    scheduled.push({ kind, ...deck[kind].draw({ random, company, processes: options.processes }) });
  }
  return scheduled;
}

function dealOut<T>(list: readonly T[], random: SeededRandom): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) {
      const placed = list.map((one) => ({ one, place: random.next() }));
      left = placed.sort((a, b) => a.place - b.place).map(({ one }) => one);
    }
    const [last] = left.splice(-1);
    if (last === undefined) throw new RangeError('nothing to hand out');
    return last;
  };
}
