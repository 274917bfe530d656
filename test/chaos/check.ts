import { isDeepStrictEqual } from 'node:util';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import type { SandboxService } from '../../src/sandbox/service.ts';
import { toObjects } from '../support/operator.ts';
import type { Client } from './client.ts';
import type { Company, Group, Person } from './company.ts';
import { Fact, toAddress } from './company.ts';

interface ShownGroup {
  readonly name: string;
  readonly members: ReadonlySet<string>;
  readonly admins: ReadonlySet<string>;
}

type ShownUser = ReturnType<typeof toShownUser>;

type Shown = Awaited<ReturnType<typeof readShown>>;

/** Reads everything as a provider does that imports it. */
export async function readShown(client: Client) {
  const users = await client.list('/Users');
  const groups = await client.list('/Groups');
  const names = new Map(users.map(({ id, userName }) => [id, String(userName)]));
  const toNames = (links: JsonValue | undefined) =>
    new Set(toObjects(links).map(({ value }) => names.get(value) ?? `nobody (${value})`));
  return {
    users: users.map(toShownUser),
    groups: groups.map(({ displayName, members, [GROUP_EXTENSION]: extension }): ShownGroup => {
      const admins = toNames(Object(extension).admins);
      return { name: String(displayName), members: toNames(members), admins };
    }),
  };
}

function toShownUser(user: JsonObject) {
  const { givenName, familyName } = Object(user.name);
  return {
    userName: String(user.userName),
    active: user.active === true,
    fullName: [givenName, familyName].join(' ').trim(),
    title: user.title,
    email: toObjects(user.emails)[0]?.value ?? '',
    suspended: Object(user[USER_EXTENSION]).temporarilyInactive === true,
    groups: toObjects(user.groups)
      .map((group) => String(group.display))
      .toSorted(),
  };
}

/** What the service, the store and what was asked for and answered are compared by. */
export interface Check {
  readonly company: Company;
  readonly shown: Shown;
  readonly service: SandboxService;
  readonly drifts: readonly JsonObject[];
  /** What is done about such a change: `report` leaves it, `repair` leaves what was repaired again and again. */
  readonly policy: 'report' | 'repair';
  readonly bystanders: ReadonlySet<string>;
}

/** Whatever cannot be true in the end. */
export function listFindings(check: Check): string[] {
  return [
    ...listStrangers(check),
    ...check.company.people.flatMap((person) => judgePerson(check, person)),
    ...check.company.groups.flatMap((group) => judgeGroup(check, group)),
    ...check.shown.users.flatMap((user) => judgeGroupsOf(user, check.shown.groups)),
    ...listEffects(check),
  ];
}

function listStrangers({ company, shown, service, bystanders }: Check): string[] {
  const people = new Set([...bystanders, ...company.people.map(({ address }) => address)]);
  const groups = new Set(company.groups.flatMap(({ names }) => [...names]));
  const seen = [
    ...shown.users.map(({ userName }) => ['SCIM', userName, people] as const),
    ...service.users().map(({ email }) => ['the service', toAddress(email), people] as const),
    ...shown.groups.map(({ name }) => ['SCIM', name, groups] as const),
    ...service.groups().map(({ name }) => ['the service', name, groups] as const),
  ];
  const strange = seen.filter(([, name, known]) => !known.has(name));
  return strange.map(([where, name]) => `${where} has ${name}, for whom nobody asked`);
}

function judgeGroupsOf({ userName, groups }: ShownUser, all: readonly ShownGroup[]): string[] {
  const names = all.filter(({ members }) => members.has(userName)).map(({ name }) => name);
  if (isDeepStrictEqual(names.toSorted(), groups)) return [];
  return [`SCIM shows ${userName} in ${groups}, and as a member of ${names}`];
}

interface Compared {
  readonly fact: Fact<unknown> | undefined;
  readonly shown: unknown;
  readonly held: unknown;
  /** Whether they may differ: an administrator changed it, and the bridge tells of it and has a reason to leave it. */
  readonly isLeft?: boolean | undefined;
}

function judge(what: string, { fact, shown, held, isLeft }: Compared): string[] {
  const isWrong = fact !== undefined && !fact.allows(shown);
  return [
    ...(isWrong ? [`${what} in SCIM: ${shown}, not ${fact}`] : []),
    ...(shown === held || isLeft ? [] : [`${what} in the service: ${held}, in SCIM ${shown}`]),
  ];
}

function judgeCount(what: string, isThere: Fact, shown: number, held: number): string[] {
  if (shown > 1) return [`SCIM shows ${what} ${shown} times`];
  if (held > 1) return [`${what} is in the service ${held} times`];
  return isThere.allows(shown === 1) ? [] : [`SCIM shows ${what}: ${shown === 1}, not ${isThere}`];
}

function judgePerson(check: Check, person: Person): string[] {
  const { address, origin, isThere } = person;
  const users = check.shown.users.filter(({ userName }) => userName === address);
  const accounts = check.service.users().filter(({ email }) => toAddress(email) === address);
  const [user] = users;
  const [account] = accounts;
  const count = judgeCount(address, isThere, users.length, accounts.length);
  // Nobody who is not to work needs an account.
  if (account === undefined)
    return user?.active === true ? [...count, `${address} is missing in the service`] : count;
  const isLeft = (fact: Fact<unknown>, kind: string) => isExplained(check, fact, kind, address);
  if (user === undefined) {
    const isOut = !account.active || isLeft(person.active, 'user.activated');
    return isOut ? count : [...count, `${address} was deleted and is active in the service`];
  }
  // What administrators do to their own is compared with the service alone.
  const isAsked = origin === 'new' || (origin === 'found' && isThere.isAsked);
  type Name = 'active' | 'fullName' | 'suspended' | 'title' | 'email';
  const compare = (name: Name, held: unknown, kind?: string) => {
    const fact: Fact<unknown> = person[name];
    const mayDiffer = kind !== undefined && isLeft(fact, kind);
    const compared = { shown: user[name], held, isLeft: mayDiffer };
    return judge(`${address}: ${name}`, { ...compared, fact: isAsked ? fact : undefined });
  };
  return [
    ...count,
    ...compare('active', account.active, `user.${account.active ? 'activated' : 'deactivated'}`),
    ...compare('fullName', account.fullName, 'user.renamed'),
    ...compare('suspended', account.temporarilyInactive),
    // Kept by the bridge alone.
    ...compare('title', user.title),
    ...compare('email', user.email),
  ];
}

function judgeGroup(check: Check, group: Group): string[] {
  const { n, names, isThere } = group;
  const all = check.shown.groups.filter(({ name }) => names.has(name));
  const held = check.service.groups().filter(({ name }) => names.has(name));
  const [one] = all;
  const [only] = held;
  const count = judgeCount(`group ${n}`, isThere, all.length, held.length);
  if (one === undefined || only === undefined)
    return all.length === held.length ? count : [...count, `group ${n} is in one of both alone`];
  const fact = group.origin === 'unmanaged' ? undefined : group.name;
  return [
    ...count,
    ...judge(`group ${n}: name`, { fact, shown: one.name, held: only.name }),
    ...judgeLinks(check, group, { list: 'members', shown: one, id: only.id }),
    ...judgeLinks(check, group, { list: 'admins', shown: one, id: only.id }),
  ];
}

interface Listed {
  readonly list: 'members' | 'admins';
  readonly shown: ShownGroup;
  readonly id: number;
}

function judgeLinks(check: Check, group: Group, { list, shown, id }: Listed): string[] {
  const { service, company } = check;
  const held = new Set(service[list](id).map(toAddress));
  const accounts = new Set(service.users().map(({ email }) => toAddress(email)));
  const known = new Set(company.people.map(({ address }) => address));
  const isManaged = group.origin !== 'unmanaged';
  const strangers = isManaged ? [...shown[list]].filter((name) => !known.has(name)) : [];
  return [
    ...strangers.map((name) => `${name} in ${list} of group ${group.n} is nobody`),
    ...company.people.flatMap((person) => {
      const { address } = person;
      const fact = group[list].get(person) ?? new Fact(false);
      const [isShown, isHeld] = [shown[list].has(address), held.has(address)];
      const user = check.shown.users.find(({ userName }) => userName === address);
      // Who was deleted is shown nowhere, and leaves nothing but what is managed.
      const isCompared = accounts.has(address) && (isManaged || user !== undefined);
      // That somebody who does not work was taken out of a group is left as it is until they do.
      const isUntold = user === undefined || (!isHeld && !user.active);
      const kind = isHeld ? 'member.added' : 'member.removed';
      const isTold = isUntold
        ? fact.trespasses > 0
        : isExplained(check, fact, kind, shown.name, address);
      return judge(`${address} in ${list} of group ${group.n}`, {
        fact: isManaged ? fact : undefined,
        shown: isShown,
        held: isCompared ? isHeld : isShown,
        isLeft: list === 'members' && isTold,
      });
    }),
  ];
}

/** Whether an administrator changed that, and the bridge tells of it and has a reason to leave it. */
function isExplained(
  { drifts, policy }: Check,
  { trespasses }: Fact<unknown>,
  ...[kind, name, member]: readonly string[]
): boolean {
  const drift = drifts
    .filter((one) => one.kind === kind && Object(one.resource).name === name)
    .find((one) => (Object(one.member).name ?? undefined) === member);
  return trespasses > 0 && drift?.status === (policy === 'report' ? 'open' : 'contested');
}

/** What the bridge did in the service more often than anybody asked for it: by what the service's own log says. */
function listEffects({ service, company: { people, groups } }: Check): string[] {
  const counts = countOwn(service);
  const judge = (actions: readonly string[], most: number) => {
    const done = actions.reduce((sum, action) => sum + (counts.get(action) ?? 0), 0);
    return done <= most ? [] : [`${actions}: done ${done} times, asked for ${most} times`];
  };
  const ofPeople = people.flatMap(({ address, origin, active, suspended }) => {
    const countTo = (value: boolean) =>
      active.countAsked(value) + suspended.countAsked(!value) + active.trespasses;
    return [
      ...judge([`invite ${address}`], origin === 'new' ? 1 : 0),
      ...judge([`activate ${address}`], countTo(true)),
      ...judge([`deactivate ${address}`], countTo(false)),
    ];
  });
  const ofGroups = groups.flatMap((group) => {
    const { origin, isThere, members, admins } = group;
    const toActions = (action: string, who = '') =>
      [...group.names].map((name) => `${action} ${name}${who}`);
    const countTo = (value: boolean) => (origin === 'new' ? isThere.countAsked(value) : 0);
    const ofLinks = people.flatMap((person) =>
      (['add_user', 'delete_user', 'add_admin', 'delete_admin'] as const).flatMap((action) => {
        const fact = (action.endsWith('user') ? members : admins).get(person);
        const asked = fact?.countAsked(action.startsWith('add')) ?? 0;
        return judge(toActions(action, ` ${person.address}`), asked + (fact?.trespasses ?? 0));
      }),
    );
    return [
      ...judge(toActions('create'), countTo(true)),
      ...judge(toActions('delete'), countTo(false)),
      ...ofLinks,
    ];
  });
  return [...ofPeople, ...ofGroups];
}

function countOwn(service: SandboxService): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { authorId, action, details } of service.auditEvents()) {
    if (authorId !== service.owner.id) continue;
    const { email, group_name: group } = details;
    const who = email === undefined ? undefined : toAddress(String(email));
    const key = [action, group, who].filter((part) => part !== undefined).join(' ');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
