import { createSeededRandom, type SeededRandom } from '../model/interleavings/seeded-random.ts';
import type { Manner } from './client.ts';
import type { Company } from './company.ts';
import { type Disturbance, deck, type Kind, toRequest } from './disturbances.ts';
import { createProvider, type Operation } from './operations.ts';

/** One entry of a schedule: what an actor of the provider does and how it takes it if nobody answers, or a disturbance. */
export type Scheduled =
  | { readonly actor: number; readonly operation: Operation; readonly manner: Manner }
  | Disturbance;

/** What a schedule is drawn for. */
interface ScheduleOptions {
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

/**
 * Everything that is done to the bridge, in the order in which it begins. It depends on the seed alone: not on
 * answers, not on time.
 */
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

/** Hands out all of a list in a shuffled order, again and again, so that even a short run has some of each. */
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
