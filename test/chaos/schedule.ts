import type { FaultRule } from '../../src/sandbox/faults.ts';
import { createSeededRandom, type SeededRandom } from '../model/interleavings/seeded-random.ts';
import { drawTrespass, type Trespass } from './administrator.ts';
import type { Company } from './company.ts';
import { drawFault } from './faults.ts';
import { createProvider } from './intentions.ts';
import type { ScheduledOperation } from './operation.ts';

/** In the middle of what a process is ended: the next call of that kind. */
export const moments = ['now', 'change', 'look', 'audit page'] as const;

/** Something that makes it harder for the bridge. */
export type Disturbance =
  | {
      readonly kind: 'kill' | 'terminate';
      readonly slot: number;
      readonly moment: (typeof moments)[number];
      readonly delayMs: number;
    }
  | { readonly kind: 'freeze'; readonly slot: number; readonly forMs: number }
  | { readonly kind: 'restart postgres'; readonly how: 'crash' | 'order'; readonly awayMs: number }
  | { readonly kind: 'fault'; readonly rule: FaultRule }
  | { readonly kind: 'trespasses'; readonly trespasses: readonly Trespass[] }
  | { readonly kind: 'unmanaged'; readonly seed: number }
  | { readonly kind: 'sweep' | 'pause' | 'resume' | 'approve' };

/** One entry of a schedule. */
export type Scheduled =
  | ScheduledOperation
  | { readonly kind: 'disturbance'; readonly disturbance: Disturbance };

/** What a schedule is drawn for. */
export interface ScheduleOptions {
  readonly seed: number;
  readonly operations: number;
  readonly actors: number;
  readonly processes: number;
  readonly hasPostgres: boolean;
}

/** Operations between two disturbances, on average. */
const SPACING = 4;
/** Operations for which changes are paused. */
const PAUSE = 12;
/** How much longer than half a second a process stands still at most: longer than what it holds is held for it. */
const FREEZE_MAX_MS = 3_000;
/** Changes behind the back at once, at most. */
const TRESPASSES_MAX = 6;

/**
 * Everything that is done to the bridge, in the order in which it begins. It depends on the seed alone: not on
 * answers, not on time.
 */
export function createSchedule(company: Company, options: ScheduleOptions): Scheduled[] {
  const random = createSeededRandom(options.seed);
  const provider = createProvider(company, random);
  const deck = createDeck(options, random);
  const scheduled: Scheduled[] = [];
  let turn: number[] = [];
  let pausedUntil: number | undefined;
  for (let n = 0; n < options.operations; n += 1) {
    if (turn.length === 0)
      turn = shuffle(
        Array.from({ length: options.actors }, (_, actor) => actor),
        random,
      );
    scheduled.push(provider.draw(turn.pop() ?? 0));
    const add = (disturbance: Disturbance) => scheduled.push({ kind: 'disturbance', disturbance });
    if (n === pausedUntil) {
      pausedUntil = undefined;
      add({ kind: 'resume' });
    }
    if (!random.chance(1 / SPACING)) continue;
    const kind = deck();
    if (kind === 'pause' && pausedUntil === undefined) {
      pausedUntil = n + PAUSE;
      add({ kind });
    } else if (kind !== 'pause') add(toDisturbance(kind));
  }
  return scheduled;

  function toDisturbance(kind: Exclude<Kind, 'pause'>): Disturbance {
    switch (kind) {
      case 'kill':
      case 'terminate': {
        const slot = Math.floor(random.next() * options.processes);
        return { kind, slot, moment: random.pick(moments), delayMs: random.next() * 40 };
      }
      case 'freeze': {
        const slot = Math.floor(random.next() * options.processes);
        return { kind, slot, forMs: 500 + random.next() * FREEZE_MAX_MS };
      }
      case 'restart postgres':
        return { kind, how: random.pick(['crash', 'order']), awayMs: random.next() * 800 };
      case 'fault':
        return { kind, rule: drawFault(random) };
      case 'trespasses': {
        const count = Math.ceil(random.next() * TRESPASSES_MAX);
        const draw = () => drawTrespass(company, provider, random) ?? [];
        return { kind, trespasses: Array.from({ length: count }, draw).flat() };
      }
      case 'unmanaged':
        return { kind, seed: Math.floor(random.next() * 2 ** 32) };
      case 'sweep':
      case 'approve':
        return { kind };
    }
  }
}

type Kind = Exclude<Disturbance['kind'], 'resume'>;

/** How often each comes before all have come. */
const cards: Readonly<Record<Kind, number>> = {
  kill: 4,
  terminate: 1,
  freeze: 1,
  'restart postgres': 1,
  fault: 9,
  trespasses: 4,
  unmanaged: 3,
  sweep: 2,
  pause: 1,
  approve: 2,
};

/** Hands out disturbances in a shuffled order, so that even a short run has some of each. */
function createDeck({ hasPostgres }: ScheduleOptions, random: SeededRandom): () => Kind {
  const whole = Object.entries(cards).flatMap(([kind, count]) =>
    kind === 'restart postgres' && !hasPostgres
      ? []
      : Array.from({ length: count }, () => kind as Kind),
  );
  let left: Kind[] = [];
  return () => {
    if (left.length === 0) left = shuffle(whole, random);
    return left.pop() ?? 'fault';
  };
}

function shuffle<T>(list: readonly T[], random: SeededRandom): T[] {
  return list
    .map((one) => ({ one, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}
