import { createSeededRandom, type SeededRandom } from '../model/interleavings/seeded-random.ts';

/** Minutes of a day. */
export const DAY_MINUTES = 24 * 60;
/** Minutes between two cycles of the provider, as Entra ID has it. */
export const CYCLE_MINUTES = 40;

/** What happens to how many people on one day. */
export interface DaySize {
  readonly joiners: number;
  readonly leavers: number;
  /** Whose department changes; every third of them changes one group for another. */
  readonly movers: number;
  /** Whose name changes. */
  readonly renamed: number;
}

/** One thing that happens to one person, in the directory of the company. */
export interface DayEvent {
  readonly kind: 'join' | 'leave' | 'move' | 'rename';
  /** When it happens, in minutes since midnight; the provider sends it with its next cycle. */
  readonly minute: number;
  /** Which of the people it is about; of a joiner, which of the joiners. */
  readonly person: number;
  /** Which groups the person comes into; a mover leaves the first group for them. */
  readonly groups: readonly number[];
}

/** How many groups a new person comes into. */
const GROUPS_OF_JOINER = 3;
/** Of so many movers one changes a group. */
const GROUP_EVERY = 3;

/** Between which minutes of the day things happen. */
const HOURS: Readonly<Record<DayEvent['kind'], readonly [number, number]>> = {
  join: [7 * 60, 10 * 60],
  leave: [17 * 60, 23 * 60],
  move: [8 * 60, 18 * 60],
  rename: [8 * 60, 18 * 60],
};

/** Invents a day, the same for the same seed: joiners in the morning, leavers in the evening, the others between. Pure. */
export function planDay(
  { joiners, leavers, movers, renamed }: DaySize,
  { people, groups, seed }: { people: number; groups: number; seed: number },
): DayEvent[] {
  const random = createSeededRandom(seed);
  if (leavers + movers + renamed > people) throw new RangeError('there are not so many people');
  let next = 0;
  const draw = (kind: DayEvent['kind'], count: number, groupsOf: (index: number) => number) =>
    Array.from({ length: count }, (_, index): DayEvent => {
      const person = kind === 'join' ? index : next++;
      const drawn = Array.from({ length: groupsOf(index) }, () => drawIndex(random, groups));
      return { kind, minute: drawMinute(random, HOURS[kind]), person, groups: drawn };
    });
  return [
    ...draw('join', joiners, () => GROUPS_OF_JOINER),
    ...draw('leave', leavers, () => 0),
    ...draw('move', movers, (index) => (index % GROUP_EVERY === 0 ? 2 : 0)),
    ...draw('rename', renamed, () => 0),
  ].sort((one, other) => one.minute - other.minute);
}

/** Lists what the cycle that begins at this minute sends: what happened since the one before. */
export function listCycle(events: readonly DayEvent[], minute: number): DayEvent[] {
  return events.filter((event) => event.minute < minute && event.minute >= minute - CYCLE_MINUTES);
}

function drawMinute(random: SeededRandom, [from, to]: readonly [number, number]): number {
  // Two throws: most happens in the middle.
  return from + Math.floor(((random.next() + random.next()) / 2) * (to - from));
}

function drawIndex(random: SeededRandom, length: number): number {
  return Math.floor(random.next() * length);
}
