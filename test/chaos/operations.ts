import {
  GROUP_EXTENSION,
  GROUP_SCHEMA_URI,
  USER_EXTENSION,
  USER_SCHEMA_URI,
} from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { SeededRandom } from '../model/interleavings/seeded-random.ts';
import {
  admit,
  dismiss as dismissMember,
  expel,
  replace,
  toGroup,
  toMembers,
  toPatch,
} from '../support/provider.ts';
import type { Actor, AskedRequest } from './client.ts';
import type { Company, Group, Person, Wish } from './company.ts';
import { toLink, wish } from './company.ts';

const MOVED_MAX = 8;
const BULK_MAX = 5;

/** One thing that a provider does. */
export interface Operation {
  readonly text: string;
  perform(actor: Actor): Promise<unknown>;
}

interface Change {
  readonly text: string;
  toRequest(actor: Actor): Promise<AskedRequest>;
}

interface FieldChange {
  readonly wish: Wish;
  readonly body: JsonObject;
  readonly paths: Readonly<Record<string, string | boolean>>;
}

interface Move {
  readonly added: readonly Person[];
  readonly removed: readonly Person[];
}

/** Calls one of these, each as often as its weight says. */
export function drawOne<T>(
  random: SeededRandom,
  ...choices: readonly (readonly [weight: number, make: () => T])[]
): T {
  let left = random.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of choices) {
    left -= weight;
    if (left < 0) return make();
  }
  throw new RangeError('nothing to draw from');
}

/** A provider of this company: draws what an actor does next. It depends on the seed alone, never on answers. */
export function createProvider(company: Company, random: SeededRandom): (n: number) => Operation {
  let last = 0;
  const next = () => {
    last += 1;
    return last;
  };

  /** Who may be in groups of this actor; those whom nobody hired are known to SCIM all the same. */
  const listCandidates = (actor: number) =>
    company.people
      .filter((person) => person.origin === 'unmanaged' || person.wanted.isThere)
      .filter((person) => person.isSteady || person.actor === actor);

  function pickSome(list: readonly Person[]): Person[] {
    if (list.length === 0) return [];
    const count = Math.ceil(random.next() * Math.min(MOVED_MAX, list.length));
    return [...new Set(Array.from({ length: count }, () => random.pick(list)))];
  }

  function hire(person: Person): Operation {
    const { address, isThere } = person;
    const fullName = `Person${person.n} Hired${next()}`;
    const active = !random.chance(0.1);
    Object.assign(person.wanted, { isThere: true, active, suspended: false });
    const wishes = [wish(isThere, true), wish(person.active, active)];
    wishes.push(wish(person.fullName, fullName), wish(person.title, undefined));
    wishes.push(wish(person.email, address));
    const [name, emails] = [toName(fullName), toEmails(address)];
    const body = { schemas: [USER_SCHEMA_URI], userName: address, name, emails, active };
    return {
      text: `hire ${address} as ${fullName}, active ${active}`,
      async perform(actor) {
        const wasThere = person.origin === 'found' && !isThere.isAsked;
        const asked = { method: 'POST', path: '/Users', body, wishes } as const;
        person.id = await actor.create(asked, `userName eq "${address}"`, wasThere);
      },
    };
  }

  function change(person: Person): Change {
    const { address, title, isSteady, wanted } = person;
    const dialect = random.pick(['put', 'paths', 'if-match'] as const);
    const { suspended } = wanted;
    const drawn = drawFields(person);
    // What a PUT leaves out, it takes back.
    const isWhole = dialect === 'put' && isSteady && suspended === wanted.suspended;
    const changed = isWhole ? [fields.suspended(person, suspended), ...drawn] : drawn;
    const body = Object.fromEntries(changed.flatMap((one) => Object.entries(one.body)));
    const wishes = changed.map((one) => one.wish);
    return {
      text: `change ${address} (${dialect}): ${JSON.stringify(body)}`,
      async toRequest(actor) {
        const path = `/Users/${await actor.getId(person)}`;
        if (dialect === 'put') {
          const whole = { schemas: [USER_SCHEMA_URI, USER_EXTENSION], userName: address, ...body };
          const untitled = body.title === undefined ? [wish(title, undefined)] : [];
          return { method: 'PUT', path, body: whole, wishes: [...wishes, ...untitled] };
        }
        const paths = changed.flatMap((one) => Object.entries(one.paths));
        const operations = paths.map(([at, value]) => replace(at, value));
        const needsVersion = dialect === 'if-match';
        return { method: 'PATCH', path, body: toPatch(...operations), wishes, needsVersion };
      },
    };
  }

  function drawFields(person: Person): FieldChange[] {
    const { wanted, isSteady } = person;
    const number = next();
    const name = fields.fullName(person, `Person${person.n} Renamed${number}`);
    const title = fields.title(person, `Title ${number}`);
    const set = (field: 'active' | 'suspended', value: boolean) => {
      wanted[field] = value;
      return fields[field](person, value);
    };
    return drawOne<FieldChange[]>(
      random,
      [30, () => [name]],
      [25, () => [set('active', !wanted.active)]],
      [10, () => [set('active', wanted.active)]],
      [10, () => [set('active', !wanted.active), name, title]],
      [10, () => [title]],
      [isSteady ? 7 : 15, () => [fields.email(person, `person${person.n}.${number}@example.com`)]],
      // Who may be deleted may come back, and then nobody says whether they are suspended.
      [isSteady ? 8 : 0, () => [set('suspended', !wanted.suspended)]],
    );
  }

  function dismiss(person: Person): Operation {
    person.wanted.isThere = false;
    for (const { wanted } of company.groups) {
      wanted.members.delete(person);
      wanted.admins.delete(person);
    }
    return {
      text: `dismiss ${person.address}`,
      async perform(actor) {
        const links = company.groups
          .filter(({ origin }) => origin !== 'unmanaged')
          .flatMap(({ members, admins }) => [members.get(person) ?? [], admins.get(person) ?? []]);
        const facts = [person.isThere, person.active, ...links.flat()];
        const path = `/Users/${await actor.getId(person)}`;
        const wishes = facts.map((fact) => wish(fact, false));
        await actor.ask({ method: 'DELETE', path, wishes, alsoFine: 404 });
      },
    };
  }

  function changeInBulk(people: readonly Person[]): Operation {
    const count = 2 + Math.floor(random.next() * (BULK_MAX - 1));
    const chosen = new Set(Array.from({ length: count }, () => random.pick(people)));
    const changes = [...chosen].filter(({ wanted }) => wanted.isThere).map(change);
    if (changes.length === 0) return drawForPerson(random.pick(people));
    return {
      text: `bulk (${changes.map(({ text }) => text).join(', ')})`,
      perform: async (actor) =>
        actor.askInBulk(await Promise.all(changes.map((one) => one.toRequest(actor)))),
    };
  }

  function drawForPerson(person: Person): Operation {
    if (!person.wanted.isThere) return hire(person);
    const changeAlone = (): Operation => {
      const { text, toRequest } = change(person);
      return { text, perform: async (actor) => actor.ask(await toRequest(actor)) };
    };
    return drawOne<Operation>(
      random,
      [5, () => hireTwice(person)],
      [10, () => read(person)],
      [person.isSteady ? 0 : 18, () => dismiss(person)],
      [person.isSteady ? 85 : 67, changeAlone],
    );
  }

  /** Who was in the group before stays only where the service had the group already. */
  function found(group: Group): Operation {
    const { n, origin, wanted } = group;
    const isSame = origin === 'found' ? wanted.name === '' : random.chance(0.5);
    const name = isSame ? `Group ${n}` : `Group ${n} founded ${next()}`;
    const members = pickSome(listCandidates(group.actor));
    const sets = { members: new Set(members), admins: new Set<Person>() };
    Object.assign(wanted, { isThere: true, name, ...sets });
    return {
      text: `found group ${n} as ${name} with ${toNumbers(members)}`,
      async perform(actor) {
        group.names.add(name);
        const gone = [...group.members].filter(([person]) => !members.includes(person));
        const before = origin === 'new' ? [...gone, ...group.admins] : [];
        const wishes = [
          wish(group.isThere, true),
          wish(group.name, name),
          ...before.map(([, fact]) => wish(fact, false)),
          ...toWishes(group.members, { added: members, removed: [] }),
        ];
        const body = toGroup(name, await toIds(actor, members));
        const asked = { method: 'POST', path: '/Groups', body, wishes } as const;
        group.id = await actor.create(asked, `displayName eq "${name}"`, origin === 'found');
      },
    };
  }

  function rename(group: Group): Operation {
    const displayName = `Group ${group.n} renamed ${next()}`;
    group.wanted.name = displayName;
    return {
      text: `rename group ${group.n}: ${displayName}`,
      perform(actor) {
        group.names.add(displayName);
        const wishes = [wish(group.name, displayName)];
        return actor.ask(patchGroup(group, [replace('displayName', displayName)], wishes));
      },
    };
  }

  function drawMove(group: Group, list: 'members' | 'admins'): Move {
    const inside = group.wanted[list];
    const outside = listCandidates(group.actor).filter((one) => !inside.has(one));
    const added = random.chance(0.7) ? pickSome(outside) : [];
    const removed = random.chance(0.5) ? pickSome([...inside]) : [];
    for (const person of added) inside.add(person);
    for (const person of removed) inside.delete(person);
    return { added, removed };
  }

  function moveMembers(group: Group): Operation {
    const move = drawMove(group, 'members');
    const dialect = random.pick(['array', 'one request each'] as const);
    return {
      text: `move members of group ${group.n} (${dialect}): ${toText(move)}`,
      async perform(actor) {
        const joining = await toIds(actor, move.added);
        const leaving = await toIds(actor, move.removed);
        const wishes = toWishes(group.members, move);
        const single = [
          ...joining.map((id) => admit(id)),
          ...leaving.map((id) => dismissMember(id)),
        ];
        if (dialect === 'one request each') {
          const each = single.map((one, n) => patchGroup(group, [one], wishes.slice(n, n + 1)));
          return actor.ask(...each);
        }
        if (single.length === 0) return;
        const arrays = [
          ...(joining.length > 0 ? [admit(...joining)] : []),
          ...(leaving.length > 0 ? [expel(...leaving)] : []),
        ];
        return actor.ask(patchGroup(group, arrays, wishes));
      },
    };
  }

  function moveAdmins(group: Group): Operation {
    const move = drawMove(group, 'admins');
    const path = `${GROUP_EXTENSION}:admins`;
    return {
      text: `move admins of group ${group.n}: ${toText(move)}`,
      async perform(actor) {
        const value = toMembers(await toIds(actor, move.added));
        const leaving = await toIds(actor, move.removed);
        const operations: JsonObject[] = [
          ...(value.length === 0 ? [] : [{ op: 'add', path, value }]),
          ...leaving.map((id) => ({ op: 'remove', path: `${path}[value eq "${id}"]` })),
        ];
        if (operations.length === 0) return;
        await actor.ask(patchGroup(group, operations, toWishes(group.admins, move)));
      },
    };
  }

  function setMembers(group: Group): Operation {
    const added = pickSome(listCandidates(group.actor));
    group.wanted.members = new Set(added);
    const displayName = group.wanted.name;
    const dialect = random.pick(['put', 'replace'] as const);
    return {
      text: `set members of group ${group.n} (${dialect}): ${toNumbers(added)}`,
      async perform(actor) {
        const members = toMembers(await toIds(actor, added));
        const removed = [...group.members.keys()].filter((person) => !added.includes(person));
        const wishes = toWishes(group.members, { added, removed });
        if (dialect === 'replace')
          return actor.ask(patchGroup(group, [replace('members', members)], wishes));
        wishes.push(wish(group.name, displayName));
        const body = { schemas: [GROUP_SCHEMA_URI], displayName, members };
        return actor.ask({ method: 'PUT', path: toPath(group), body, wishes });
      },
    };
  }

  function dissolve(group: Group): Operation {
    group.wanted.isThere = false;
    const asked = {
      method: 'DELETE',
      wishes: [wish(group.isThere, false)],
      alsoFine: 404,
    } as const;
    const perform = (actor: Actor) => actor.ask({ ...asked, path: toPath(group) });
    return { text: `dissolve group ${group.n}`, perform };
  }

  function drawForGroup(group: Group): Operation {
    if (!group.wanted.isThere) return found(group);
    return drawOne<Operation>(
      random,
      [group.origin === 'new' ? 5 : 0, () => dissolve(group)],
      [13, () => rename(group)],
      [12, () => setMembers(group)],
      [8, () => moveAdmins(group)],
      [58, () => moveMembers(group)],
    );
  }

  return (actor) => {
    const own = <T extends Person | Group>(list: readonly T[]) =>
      list.filter((one) => one.actor === actor && one.origin !== 'unmanaged');
    const people = own(company.people);
    return drawOne<Operation>(
      random,
      // Groups are changed most: there are few of them.
      [45, () => drawForGroup(random.pick(own(company.groups)))],
      [48, () => drawForPerson(random.pick(people))],
      [7, () => changeInBulk(people)],
    );
  };
}

function hireTwice({ address }: Person): Operation {
  return {
    text: `hire twice ${address}`,
    async perform(actor) {
      const body = { schemas: [USER_SCHEMA_URI], userName: address };
      const { status } = await actor.insist({ method: 'POST', path: '/Users', body });
      if (status !== 409)
        actor.report(`${address} is there, and another POST was answered ${status}`);
    },
  };
}

function read(person: Person): Operation {
  return {
    text: `read ${person.address}`,
    async perform(actor) {
      const path = `/Users/${await actor.getId(person)}`;
      const { status, etag = '', body } = await actor.insist({ method: 'GET', path });
      if (status !== 200) return actor.report(`GET ${path}: ${status}`);
      const { givenName, familyName } = Object(body.name);
      const { title, active } = Object(body);
      const fullName = `${givenName} ${familyName}`;
      const hasTexts = person.fullName.allows(fullName) && person.title.allows(title);
      const wanted = `${person.fullName}, ${person.title}, ${person.active}`;
      if (!(hasTexts && person.active.allows(active)))
        actor.report(`${person.address} reads ${fullName}, ${title}, ${active}, not ${wanted}`);
      const headers = { 'if-none-match': etag };
      const again = await actor.insist({ method: 'GET', path, headers });
      if (again.status !== 304 && again.etag === etag)
        actor.report(`GET ${path} with its version: ${again.status}`);
    },
  };
}

const fields = {
  active: (person: Person, active: boolean): FieldChange => ({
    ...{ wish: wish(person.active, active), body: { active }, paths: { active } },
  }),
  fullName(person: Person, fullName: string): FieldChange {
    const name = toName(fullName);
    const paths = { 'name.givenName': name.givenName, 'name.familyName': name.familyName };
    return { wish: wish(person.fullName, fullName), body: { name }, paths };
  },
  title: (person: Person, title: string): FieldChange => ({
    ...{ wish: wish(person.title, title), body: { title }, paths: { title } },
  }),
  email: (person: Person, email: string): FieldChange => ({
    wish: wish(person.email, email),
    body: { emails: toEmails(email) },
    paths: { 'emails[type eq "work"].value': email },
  }),
  suspended: (person: Person, temporarilyInactive: boolean): FieldChange => ({
    wish: wish(person.suspended, temporarilyInactive),
    body: { [USER_EXTENSION]: { temporarilyInactive } },
    paths: { [`${USER_EXTENSION}:temporarilyInactive`]: temporarilyInactive },
  }),
};

function toName(fullName: string) {
  const [givenName = '', familyName = ''] = fullName.split(' ');
  return { givenName, familyName };
}

function toEmails(value: string): JsonObject[] {
  return [{ value, type: 'work', primary: true }];
}

function toPath({ n, id }: Group): string {
  if (id === undefined) throw new Error(`nobody founded group ${n}`);
  return `/Groups/${id}`;
}

const patchGroup = (group: Group, operations: JsonObject[], wishes: Wish[]): AskedRequest => ({
  ...{ method: 'PATCH', path: toPath(group), body: toPatch(...operations), wishes },
});

function toWishes(list: Group['members'], { added, removed }: Move): Wish[] {
  const toWish = (value: boolean) => (person: Person) => wish(toLink(list, person), value);
  return [...added.map(toWish(true)), ...removed.map(toWish(false))];
}

function toIds(actor: Actor, people: readonly Person[]): Promise<string[]> {
  return Promise.all(people.map((person) => actor.getId(person)));
}

function toText({ added, removed }: Move): string {
  return `+${toNumbers(added)} -${toNumbers(removed)}`;
}

function toNumbers(people: readonly Person[]): string {
  return `[${people.map(({ n }) => n).join(' ')}]`;
}
