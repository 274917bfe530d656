import type { SeededRandom } from '../model/interleavings/seeded-random.ts';
import type { Manner, Operation, ScheduledOperation } from './actor.ts';
import { type Company, type Group, type Person, toOtherAddress } from './company.ts';
import {
  changeInBulk,
  changePerson,
  dismiss,
  dissolve,
  type FieldChange,
  fields,
  foundGroup,
  hire,
  hireTwice,
  type Move,
  memberDialects,
  moveAdmins,
  moveMembers,
  offerGroup,
  type PersonOperation,
  personDialects,
  read,
  renameGroup,
  renamingDialects,
  setMembers,
} from './operations.ts';

/** People that one operation moves at most. */
const MOVED_MAX = 8;
/** Operations of one bulk request at most. */
const BULK_MAX = 5;

/** What the provider wants, as it would be if every request were answered: so what comes next never depends on answers. */
interface WantedPerson {
  isThere: boolean;
  active: boolean;
  suspended: boolean;
}
interface WantedGroup {
  isThere: boolean;
  name: string;
  isOffered: boolean;
  readonly members: Set<Person>;
  readonly admins: Set<Person>;
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
export function createProvider(company: Company, random: SeededRandom): Provider {
  const wantedPeople = new Map<Person, WantedPerson>();
  const wantedGroups = new Map<Group, WantedGroup>();
  let last = 0;
  const nextNumber = () => {
    last += 1;
    return last;
  };

  const isThere = (person: Person) => wantedPeople.get(person)?.isThere === true;

  /** Who may be in groups of this actor; those whom nobody hired are known to SCIM all the same. */
  function listCandidates(actor: number): Person[] {
    return company.people.filter(
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
    wantedPeople.set(person, { isThere: true, active, suspended: false });
    return hire(person, fullName, active);
  }

  function drawChange(person: Person, wanted: WantedPerson): PersonOperation {
    const dialect = random.pick(personDialects);
    const { suspended } = wanted;
    const changed = drawFields(person, wanted);
    // What a PUT leaves out, it takes back.
    const isWhole = dialect === 'put' && person.isSteady && suspended === wanted.suspended;
    const whole = isWhole ? [fields.suspended(person, suspended)] : [];
    return changePerson(person, [...whole, ...changed], dialect);
  }

  function drawFields(person: Person, wanted: WantedPerson): FieldChange[] {
    const chance = random.next();
    const number = nextNumber();
    const name = fields.fullName(person, `Person${person.n} Renamed${number}`);
    const title = fields.title(person, `Title ${number}`);
    const setActive = (active: boolean) => {
      wanted.active = active;
      return fields.active(person, active);
    };
    if (chance < 0.3) return [name];
    if (chance < 0.55) return [setActive(!wanted.active)];
    if (chance < 0.65) return [setActive(wanted.active)];
    if (chance < 0.75) return [setActive(!wanted.active), name, title];
    if (chance < 0.85) return [title];
    // Who may be deleted may come back, and then nobody says whether they are suspended.
    if (chance < 0.92 || !person.isSteady)
      return [fields.email(person, toOtherAddress(person.n, number))];
    wanted.suspended = !wanted.suspended;
    return [fields.suspended(person, wanted.suspended)];
  }

  function drawForPerson(person: Person): Operation {
    const wanted = wantedPeople.get(person);
    if (wanted?.isThere !== true) return drawHire(person);
    const chance = random.next();
    if (chance < 0.05) return hireTwice(person);
    if (chance < 0.15) return read(person);
    return chance < 0.33 && !person.isSteady
      ? drawDismissal(person, wanted)
      : drawChange(person, wanted);
  }

  function drawDismissal(person: Person, wanted: WantedPerson): Operation {
    wanted.isThere = false;
    for (const group of wantedGroups.values()) {
      group.members.delete(person);
      group.admins.delete(person);
    }
    return dismiss(person, company);
  }

  function drawFounding(group: Group): Operation {
    const isFirst = !wantedGroups.has(group);
    const isSame = group.origin === 'found' ? isFirst : random.chance(0.5);
    const name = isSame ? `Group ${group.n}` : `Group ${group.n} founded ${nextNumber()}`;
    const members = pickSome(listCandidates(group.actor));
    const sets = { members: new Set(members), admins: new Set<Person>() };
    wantedGroups.set(group, { isThere: true, name, isOffered: false, ...sets });
    return foundGroup(group, name, members);
  }

  function drawMove(group: Group, inside: Set<Person>): Move {
    const candidates = listCandidates(group.actor);
    const added = random.chance(0.7) ? pickSome(candidates.filter((one) => !inside.has(one))) : [];
    const removed = random.chance(0.5) ? pickSome([...inside]) : [];
    for (const person of added) inside.add(person);
    for (const person of removed) inside.delete(person);
    return { added, removed };
  }

  function drawForGroup(group: Group): Operation {
    const wanted = wantedGroups.get(group);
    if (wanted?.isThere !== true) return drawFounding(group);
    const chance = random.next();
    if (chance < 0.05 && group.origin === 'new') {
      wanted.isThere = false;
      return dissolve(group);
    }
    if (chance < 0.18) {
      wanted.name = `Group ${group.n} renamed ${nextNumber()}`;
      return renameGroup(group, wanted.name, random.pick(renamingDialects));
    }
    if (chance < 0.3) return drawReplacement(group, wanted);
    if (chance < 0.38) return moveAdmins(group, drawMove(group, wanted.admins));
    if (chance < 0.42) {
      wanted.isOffered = !wanted.isOffered;
      return offerGroup(group, wanted.isOffered);
    }
    const dialect = random.pick(memberDialects);
    return moveMembers(group, drawMove(group, wanted.members), dialect);
  }

  function drawReplacement(group: Group, wanted: WantedGroup): Operation {
    const members = pickSome(listCandidates(group.actor));
    wanted.members.clear();
    for (const person of members) wanted.members.add(person);
    const given = { displayName: wanted.name, members };
    return setMembers(group, given, random.pick(['put', 'replace']));
  }

  function drawOperation(actor: number): Operation {
    const own = <T extends Person | Group>(list: readonly T[]) =>
      list.filter((one) => one.actor === actor && one.origin !== 'unmanaged');
    const people = own(company.people);
    const chance = random.next();
    // Groups are changed most: there are few of them.
    if (chance < 0.45) return drawForGroup(random.pick(own(company.groups)));
    if (chance < 0.93) return drawForPerson(random.pick(people));
    const count = 2 + Math.floor(random.next() * (BULK_MAX - 1));
    const chosen = new Set(Array.from({ length: count }, () => random.pick(people)));
    const changes = [...chosen].flatMap((person) => {
      const wanted = wantedPeople.get(person);
      return wanted?.isThere ? [drawChange(person, wanted)] : [];
    });
    return changes.length === 0 ? drawForPerson(random.pick(people)) : changeInBulk(changes);
  }

  function drawManner(): Manner {
    const hangsUp = random.chance(0.03);
    return {
      repeats: random.chance(0.7),
      hangsUpAfterMs: hangsUp ? random.next() * 100 : undefined,
    };
  }

  return {
    draw: (actor) => ({ actor, operation: drawOperation(actor), manner: drawManner() }),
    isThere,
    isActive: (person) => wantedPeople.get(person)?.active === true,
    listGroups: () =>
      [...wantedGroups].flatMap(([group, wanted]) =>
        wanted.isThere ? [[group, wanted.members] as const] : [],
      ),
  };
}
