import { createSeededRandom, type SeededRandom } from '../model/interleavings/seeded-random.ts';

/** A person as requests address one. */
export interface LoadPerson {
  readonly id: string;
  readonly userName: string;
  readonly externalId: string;
}

/** A group as requests address one. */
export interface LoadGroup {
  readonly id: string;
  readonly displayName: string;
}

/** Whom the bridge manages when the load begins. */
export interface LoadCompany {
  readonly people: readonly LoadPerson[];
  readonly groups: readonly LoadGroup[];
}

/** Whom the next request is about: chance, but the same in every run, and never somebody for whom it would be wrong. */
export interface Draws {
  readonly random: SeededRandom;
  /** Somebody who is there and stays; active as long as nobody draws a `switched` one. */
  person(): LoadPerson;
  /** Somebody who stays: switched off and on by turns. */
  switched(): { readonly person: LoadPerson; readonly active: boolean };
  /** Somebody to delete, whom nobody else is about; undefined when nobody is left. */
  leaver(): LoadPerson | undefined;
  group(): LoadGroup;
  /** Never the same twice. */
  newNumber(): number;
}

/** One of so many people is there to be deleted. */
const LEAVER_EVERY = 20;
/** One of so many is switched off and on. */
const SWITCHED_EVERY = 5;

/** Divides the people so that no two kinds of requests are in each other's way. */
export function createDraws({ people, groups }: LoadCompany, seed: number): Draws {
  const random = createSeededRandom(seed);
  const leavers = people.filter((_, index) => index % LEAVER_EVERY === 0);
  const staying = people.filter((_, index) => index % LEAVER_EVERY !== 0);
  const toSwitch = staying.filter((_, index) => index % SWITCHED_EVERY === 0);
  const others = staying.filter((_, index) => index % SWITCHED_EVERY !== 0);
  const inactive = new Set<LoadPerson>();
  let created = 0;
  return {
    random,
    person: () => random.pick(others),
    switched() {
      const person = random.pick(toSwitch);
      const active = inactive.delete(person);
      if (!active) inactive.add(person);
      return { person, active };
    },
    leaver: () => leavers.pop(),
    group: () => random.pick(groups),
    newNumber: () => ++created,
  };
}
