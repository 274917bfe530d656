import { createSeededRandom, type SeededRandom } from '../model/interleavings/seeded-random.ts';
import type { ScheduledOperation } from './actor.ts';
import type { Company } from './company.ts';
import { type Disturbance, deck, toRequest } from './disturbances.ts';
import { createProvider } from './intentions.ts';

/** One entry of a schedule. */
export type Scheduled = ScheduledOperation | Disturbance;

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

/**
 * Everything that is done to the bridge, in the order in which it begins. It depends on the seed alone: not on
 * answers, not on time.
 */
export function createSchedule(company: Company, options: ScheduleOptions): Scheduled[] {
  const random = createSeededRandom(options.seed);
  const provider = createProvider(company, random);
  const drawing = { random, provider, company, processes: options.processes };
  const nextActor = createDeck(() => [...Array(options.actors).keys()], random);
  const nextKind = createDeck(() => listCards(options), random);
  const scheduled: Scheduled[] = [];
  let pausedUntil: number | undefined;
  for (let n = 0; n < options.operations; n += 1) {
    scheduled.push(provider.draw(nextActor()));
    if (n === pausedUntil) {
      pausedUntil = undefined;
      scheduled.push(toRequest('resume', '/resume'));
    }
    if (!random.chance(1 / SPACING)) continue;
    const kind = nextKind();
    if (kind === 'pause' && pausedUntil !== undefined) continue;
    if (kind === 'pause') pausedUntil = n + PAUSE;
    scheduled.push(deck[kind].draw(drawing));
  }
  return scheduled;
}

type Kind = keyof typeof deck;

function listCards({ hasPostgres }: ScheduleOptions): Kind[] {
  const kinds = (Object.keys(deck) as Kind[]).filter(
    (kind) => hasPostgres || kind !== 'restart postgres',
  );
  return kinds.flatMap((kind) => Array<Kind>(deck[kind].count).fill(kind));
}

/** Hands out all of a list in a shuffled order, again and again, so that even a short run has some of each. */
function createDeck<T>(list: () => readonly T[], random: SeededRandom): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = shuffle(list(), random);
    const [last] = left.splice(-1);
    if (last === undefined) throw new RangeError('nothing to hand out');
    return last;
  };
}

function shuffle<T>(list: readonly T[], random: SeededRandom): T[] {
  return list
    .map((one) => ({ one, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}
