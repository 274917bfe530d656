import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { toGroup, toMembers, toPatch } from '../support/provider.ts';
import { change, create, type Stage, want } from './actor.ts';
import { Fact } from './fact.ts';
import { type Person, toFinding } from './person.ts';

/** People that one request adds or removes at most. */
const PEOPLE_MAX = 12;

/** A group that the provider creates, fills, renames and at last may delete. */
export interface Group {
  /** False once it was deleted. */
  readonly isThere: boolean;
  /** Every name that was ever asked for. */
  readonly names: ReadonlySet<string>;
  step(stage: Stage): Promise<void>;
  listFindings(sandbox: Sandbox): string[];
}

/** The n-th group of a run; its members are chosen among `people`. */
export function createGroup(n: number, people: readonly Person[]): Group {
  const exists = new Fact(false);
  const name = new Fact('');
  const names = new Set<string>();
  const members = new Map<Person, Fact<boolean>>();
  let id: string | undefined;
  let isThere = true;
  let renamed = 0;

  /** Some of those who may not be what they are to become. */
  function pickPeople({ random }: Stage, isWanted: boolean): Person[] {
    const candidates = people.filter((person) => {
      const fact = members.get(person);
      const isMember = fact === undefined ? false : fact.certain;
      return person.id !== undefined && !person.mayBeDeleted && isMember !== isWanted;
    });
    const count = Math.ceil(random.next() * Math.min(PEOPLE_MAX, candidates.length));
    return [...new Set(Array.from({ length: count }, () => random.pick(candidates)))];
  }

  function toFact(person: Person): Fact<boolean> {
    const fact = members.get(person) ?? new Fact(false);
    members.set(person, fact);
    return fact;
  }

  function toIds(chosen: readonly Person[]): string[] {
    return chosen.map((person) => person.id ?? '');
  }

  function nextName(): string {
    const next = renamed === 0 ? `Group ${n}` : `Group ${n} for the ${renamed}. time`;
    renamed += 1;
    names.add(next);
    return next;
  }

  async function found(stage: Stage): Promise<void> {
    const chosen = pickPeople(stage, true);
    const displayName = nextName();
    id = await create(stage, {
      type: 'Groups',
      body: toGroup(displayName, toIds(chosen)),
      filter: `displayName eq "${displayName}"`,
      wanted: [
        want(exists, true),
        want(name, displayName),
        ...chosen.map((person) => want(toFact(person), true)),
      ],
    });
  }

  async function changeMembers(stage: Stage, path: string, isAdded: boolean): Promise<void> {
    const chosen = pickPeople(stage, isAdded);
    if (chosen.length === 0) return;
    const value = toMembers(toIds(chosen));
    await change(stage, {
      method: 'PATCH',
      path,
      body: toPatch({ op: isAdded ? 'add' : 'remove', path: 'members', value }),
      wanted: chosen.map((person) => want(toFact(person), isAdded)),
    });
  }

  async function rename(stage: Stage, path: string): Promise<void> {
    const value = nextName();
    const body = toPatch({ op: 'replace', path: 'displayName', value });
    await change(stage, { method: 'PATCH', path, body, wanted: [want(name, value)] });
  }

  async function dissolve(stage: Stage, path: string): Promise<void> {
    isThere = false;
    await change(stage, { method: 'DELETE', path, expected: 404, wanted: [want(exists, false)] });
  }

  return {
    get isThere() {
      return isThere;
    },
    names,
    async step(stage) {
      if (id === undefined) return found(stage);
      const path = `/Groups/${id}`;
      const chance = stage.random.next();
      if (chance < 0.02) return dissolve(stage, path);
      if (chance < 0.15) return rename(stage, path);
      return changeMembers(stage, path, chance < 0.65);
    },
    listFindings({ service }) {
      const found = service.groups().filter((group) => names.has(group.name));
      if (found.length > 1) return [`group ${n} is there ${found.length} times`];
      const [group] = found;
      if (group === undefined) return exists.allows(false) ? [] : [`group ${n} is missing`];
      const inside = new Set(service.members(group.name));
      const strangers = [...inside].filter((one) => !people.some(({ address }) => address === one));
      return [
        ...(exists.allows(true) ? [] : [`group ${n} should be gone`]),
        ...toFinding(`group ${n} is called`, name, group.name),
        ...strangers.map((one) => `${one} in group ${n} was never asked for`),
        ...people.flatMap((person) => {
          const fact = members.get(person) ?? new Fact(false);
          if (person.needsNoAccount && service.findUser(person.address) === undefined) return [];
          return toFinding(`${person.address} in group ${n}`, fact, inside.has(person.address));
        }),
      ];
    },
  };
}
