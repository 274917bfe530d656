import type { SeededRandom } from '../model/interleavings/seeded-random.ts';
import { type Company, type Group, type Person, toOtherAddress } from './company.ts';
import {
  type Manner,
  memberDialects,
  type Operation,
  type PersonChange,
  personDialects,
  type ScheduledOperation,
} from './operation.ts';

/** People that one operation moves at most. */
const MOVED_MAX = 8;
/** Operations of one bulk request at most. */
const BULK_MAX = 5;

/** What the provider wants, as it would be if every request were answered: so what comes next never depends on answers. */
interface Intentions {
  readonly people: Map<Person, { isThere: boolean; active: boolean; suspended: boolean }>;
  readonly groups: Map<Group, { isThere: boolean; name: string; isOffered: boolean }>;
  readonly members: Map<Group, Set<Person>>;
  readonly admins: Map<Group, Set<Person>>;
}

/** Draws what the actors of a provider do, one operation after another. */
export interface Provider {
  /** What the actor does next. */
  draw(actor: number): ScheduledOperation;
  /** Whether the provider has this person. */
  isThere(person: Person): boolean;
  isActive(person: Person): boolean;
  /** The groups that the provider has, with who is to be in them. */
  listGroups(): (readonly [Group, ReadonlySet<Person>])[];
}

/** A provider of this company. */
export function createProvider({ people, groups }: Company, random: SeededRandom): Provider {
  const wanted: Intentions = {
    people: new Map(),
    groups: new Map(),
    members: new Map(),
    admins: new Map(),
  };
  let last = 0;
  const nextNumber = () => {
    last += 1;
    return last;
  };

  const isThere = (person: Person) => wanted.people.get(person)?.isThere === true;
  const toSet = (sets: Map<Group, Set<Person>>, group: Group) => {
    const set = sets.get(group) ?? new Set();
    sets.set(group, set);
    return set;
  };

  /** Who may be in groups of this actor; those whom nobody hired are known to SCIM all the same. */
  function listCandidates(actor: number): Person[] {
    return people.filter(
      (person) =>
        (person.origin === 'unmanaged' || isThere(person)) &&
        (person.isSteady || person.actor === actor),
    );
  }

  function pickSome(list: readonly Person[]): Person[] {
    if (list.length === 0) return [];
    const count = Math.ceil(random.next() * Math.min(MOVED_MAX, list.length));
    return [...new Set(Array.from({ length: count }, () => random.pick(list)))];
  }

  function drawHire(person: Person): Operation {
    const fullName = `Person${person.n} Hired${nextNumber()}`;
    const active = !random.chance(0.1);
    wanted.people.set(person, { isThere: true, active, suspended: false });
    return { kind: 'hire', person, fullName, active };
  }

  function drawChange(person: Person, intent: { active: boolean; suspended: boolean }): Operation {
    const dialect = random.pick(personDialects);
    const values = drawValues(person, intent);
    // What a PUT leaves out, it takes back.
    const isWhole = dialect === 'put' && person.isSteady;
    const change = isWhole ? { suspended: intent.suspended, ...values } : values;
    if (change.active !== undefined) intent.active = change.active;
    if (change.suspended !== undefined) intent.suspended = change.suspended;
    return { kind: 'change person', person, change, dialect };
  }

  function drawValues(
    { n, isSteady }: Person,
    { active, suspended }: { active: boolean; suspended: boolean },
  ): PersonChange {
    const chance = random.next();
    const number = nextNumber();
    const fullName = `Person${n} Renamed${number}`;
    if (chance < 0.3) return { fullName };
    if (chance < 0.55) return { active: !active };
    if (chance < 0.65) return { active };
    if (chance < 0.75) return { active: !active, fullName, title: `Title ${number}` };
    if (chance < 0.85) return { title: `Title ${number}` };
    // Who may be deleted may come back, and then nobody says whether they are suspended.
    if (chance < 0.92 || !isSteady) return { email: toOtherAddress(n, number) };
    return { suspended: !suspended };
  }

  function drawForPerson(person: Person): Operation {
    const intent = wanted.people.get(person);
    if (intent?.isThere !== true) return drawHire(person);
    const chance = random.next();
    if (chance < 0.05) return { kind: 'hire twice', person };
    if (chance < 0.15) return { kind: 'read', person };
    if (chance < 0.33 && !person.isSteady) {
      intent.isThere = false;
      for (const set of [...wanted.members.values(), ...wanted.admins.values()]) set.delete(person);
      return { kind: 'dismiss', person };
    }
    return drawChange(person, intent);
  }

  function drawFounding(group: Group): Operation {
    const isFirst = !wanted.groups.has(group);
    const isSame = group.origin === 'found' ? isFirst : random.chance(0.5);
    const name = isSame ? `Group ${group.n}` : `Group ${group.n} founded ${nextNumber()}`;
    const members = pickSome(listCandidates(group.actor));
    wanted.groups.set(group, { isThere: true, name, isOffered: false });
    const inside = toSet(wanted.members, group);
    inside.clear();
    toSet(wanted.admins, group).clear();
    for (const person of members) inside.add(person);
    return { kind: 'found group', group, name, members };
  }

  function drawMove(
    group: Group,
    sets: Map<Group, Set<Person>>,
  ): Pick<Extract<Operation, { kind: 'move members' }>, 'added' | 'removed'> {
    const inside = toSet(sets, group);
    const candidates = listCandidates(group.actor);
    const added = random.chance(0.7) ? pickSome(candidates.filter((one) => !inside.has(one))) : [];
    const removed = random.chance(0.5) ? pickSome([...inside]) : [];
    for (const person of added) inside.add(person);
    for (const person of removed) inside.delete(person);
    return { added, removed };
  }

  function drawForGroup(group: Group): Operation {
    const intent = wanted.groups.get(group);
    if (intent?.isThere !== true) return drawFounding(group);
    const chance = random.next();
    if (chance < 0.05 && group.origin === 'new') {
      intent.isThere = false;
      return { kind: 'dissolve', group };
    }
    if (chance < 0.18) {
      intent.name = `Group ${group.n} renamed ${nextNumber()}`;
      return {
        kind: 'rename group',
        group,
        name: intent.name,
        dialect: random.pick(['path', 'with id', 'put']),
      };
    }
    if (chance < 0.3) return drawReplacement(group, intent.name);
    if (chance < 0.38) return { kind: 'move admins', group, ...drawMove(group, wanted.admins) };
    if (chance < 0.42) {
      intent.isOffered = !intent.isOffered;
      return { kind: 'offer group', group, isOffered: intent.isOffered };
    }
    const dialect = random.pick(memberDialects);
    return { kind: 'move members', group, ...drawMove(group, wanted.members), dialect };
  }

  function drawReplacement(group: Group, name: string): Operation {
    const members = pickSome(listCandidates(group.actor));
    const inside = toSet(wanted.members, group);
    inside.clear();
    for (const person of members) inside.add(person);
    return { kind: 'set members', group, name, members, dialect: random.pick(['put', 'replace']) };
  }

  function drawOperation(actor: number): Operation {
    const own = <T extends Person | Group>(list: readonly T[]) =>
      list.filter((one) => one.actor === actor && one.origin !== 'unmanaged');
    const chance = random.next();
    // Groups are changed most: there are few of them.
    if (chance < 0.45) return drawForGroup(random.pick(own(groups)));
    if (chance < 0.93) return drawForPerson(random.pick(own(people)));
    const count = 2 + Math.floor(random.next() * (BULK_MAX - 1));
    const chosen = new Set(Array.from({ length: count }, () => random.pick(own(people))));
    const there = [...chosen].filter(isThere);
    if (there.length === 0) return drawForPerson(random.pick(own(people)));
    const operations = there.map((person): Operation => {
      const intent = wanted.people.get(person) ?? { active: true, suspended: false };
      return drawChange(person, intent);
    });
    return { kind: 'bulk', operations };
  }

  function drawManner(): Manner {
    const hangsUp = random.chance(0.03);
    return {
      repeats: random.chance(0.7),
      hangsUpAfterMs: hangsUp ? random.next() * 100 : undefined,
    };
  }

  return {
    draw: (actor) => ({
      kind: 'operation',
      actor,
      operation: drawOperation(actor),
      manner: drawManner(),
    }),
    isThere,
    isActive: (person) => wanted.people.get(person)?.active === true,
    listGroups: () =>
      [...wanted.groups].flatMap(([group, { isThere: is }]) =>
        is ? [[group, toSet(wanted.members, group)] as const] : [],
      ),
  };
}
