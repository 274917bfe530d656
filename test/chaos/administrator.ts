import type { SandboxUser } from '../../src/sandbox/model.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SeededRandom } from '../model/interleavings/seeded-random.ts';
import {
  type Company,
  type Group,
  type Person,
  toAddress,
  toFirstName,
  toLink,
} from './company.ts';
import type { Provider } from './intentions.ts';

/** A change of the service that no provider asked for. */
export type Trespass =
  | { readonly kind: 'activity'; readonly person: Person; readonly active: boolean }
  | { readonly kind: 'name'; readonly person: Person; readonly fullName: string }
  | {
      readonly kind: 'member';
      readonly group: Group;
      readonly person: Person;
      readonly isMember: boolean;
    };

/** The address of the account that does so. */
export const ADMINISTRATOR = 'administrator@example.com';

/** What was changed by people, as keys of `toActivityKey` and others, with how often. */
export type Trespasses = ReadonlyMap<string, number>;

/** Draws a change of what is managed. Undefined: nothing is yet. */
export function drawTrespass(
  { people }: Company,
  provider: Provider,
  random: SeededRandom,
): Trespass | undefined {
  const managed = people.filter((person) => provider.isThere(person));
  const groups = provider.listGroups();
  if (managed.length === 0) return undefined;
  const person = random.pick(managed);
  const chance = random.next();
  if (chance < 0.2) return { kind: 'activity', person, active: !provider.isActive(person) };
  if (chance < 0.4 || groups.length === 0) {
    return { kind: 'name', person, fullName: `Somebody Else${Math.floor(random.next() * 1_000)}` };
  }
  const [group, members] = random.pick(groups);
  const isLeaving = members.size > 0 && random.chance(0.5);
  const chosen = isLeaving ? random.pick([...members]) : person;
  return { kind: 'member', group, person: chosen, isMember: !members.has(chosen) };
}

/** Somebody who changes the service behind the back of provider and bridge. */
export interface Administrator {
  readonly trespasses: Trespasses;
  /** Changes what is managed, where it is there. @returns whether it was */
  trespass(trespass: Trespass): boolean;
  /** Changes what nobody manages, and remembers how it is. */
  changeOwn(random: SeededRandom): void;
  /** What of the unmanaged is not as it was left. */
  listFindings(): string[];
}

/** Fills the service with what is there before the bridge, and goes on changing it. */
export function createAdministrator({ service: owners }: Sandbox, company: Company): Administrator {
  owners.addUser({ email: ADMINISTRATOR, fullName: 'An Administrator' });
  const service = owners.as(ADMINISTRATOR, '198.51.100.7');
  const trespasses = new Map<string, number>();
  const ownPeople = company.people.filter(({ origin }) => origin === 'unmanaged');
  const ownGroups = company.groups.filter(({ origin }) => origin === 'unmanaged');
  const left = new Map<string, string>();
  const findings: string[] = [];

  const people = company.people.filter(({ origin }) => origin !== 'new');
  for (const { address, n } of people) {
    service.addUser({ email: address, userName: address, fullName: toFirstName(n) });
  }
  for (const group of company.groups.filter(({ origin }) => origin !== 'new')) {
    service.createGroup({ name: `Group ${group.n}` });
    // Those whom the provider finds and then deletes have to stay in what nobody manages.
    const inside = group.origin === 'unmanaged' ? people : ownPeople;
    for (const person of inside) {
      service.link(`Group ${group.n}`, person.address);
      toLink(group.members, person).become(true);
    }
  }
  remember();

  function remember(): void {
    for (const [what, how] of describe()) left.set(what, how);
  }

  /** How the unmanaged is. */
  function describe(): (readonly [string, string])[] {
    return [
      ...ownPeople.map(({ address }) => {
        const { updated, ...account } = service.getUser(address);
        return [address, JSON.stringify(account)] as const;
      }),
      ...ownGroups.map(({ n }) => {
        const name = `Group ${n}`;
        const { updated, ...group } = service.getGroup(name);
        const [members, admins] = [service.members(name), service.admins(name)];
        return [name, JSON.stringify({ ...group, members, admins })] as const;
      }),
    ];
  }

  function count(key: string): void {
    trespasses.set(key, (trespasses.get(key) ?? 0) + 1);
  }

  function findAccount({ address }: Person): SandboxUser | undefined {
    return service.users().find(({ email }) => toAddress(email) === address);
  }

  function toggleMember(name: string, { id, email }: SandboxUser): void {
    if (service.members(name).includes(email)) service.unlink(name, id);
    else service.link(name, id);
  }

  function carryOut(trespass: Trespass): boolean {
    const { person } = trespass;
    const account = findAccount(person);
    if (account === undefined) return false;
    switch (trespass.kind) {
      case 'activity':
        if (account.active === trespass.active) return false;
        service.updateUser(account.id, { active: trespass.active });
        count(toActivityKey(person));
        return true;
      case 'name':
        service.updateUser(account.id, { fullName: trespass.fullName });
        count(toNameKey(person));
        return true;
      case 'member':
        return moveMember(trespass, account);
    }
  }

  function moveMember(
    { group, person, isMember }: Extract<Trespass, { kind: 'member' }>,
    account: SandboxUser,
  ): boolean {
    const found = service.groups().filter(({ name }) => group.names.has(name));
    const [only] = found;
    if (found.length !== 1 || only === undefined) return false;
    if (service.members(only.id).includes(account.email) === isMember) return false;
    if (isMember) service.link(only.id, account.id);
    else service.unlink(only.id, account.id);
    // Whom no provider ever put in or out is shown as the service has it.
    const link = toLink(group.members, person);
    if (!link.isAsked) link.allow(isMember);
    count(toMemberKey(group, person));
    return true;
  }

  return {
    trespasses,
    trespass: carryOut,
    changeOwn(random) {
      findings.push(...compare());
      const { address } = random.pick(ownPeople);
      const chance = random.next();
      if (chance < 0.2) service.updateUser(address, { active: !service.getUser(address).active });
      else if (chance < 0.4)
        service.updateUser(address, { fullName: `Own Name${Math.floor(chance * 1_000)}` });
      else {
        const name = `Group ${random.pick(ownGroups).n}`;
        // Somebody whom the provider has: those it deletes have to stay in here.
        const accounts = company.people.flatMap((person) => findAccount(person) ?? []);
        if (accounts.length > 0) toggleMember(name, random.pick(accounts));
      }
      remember();
    },
    listFindings: () => [...findings, ...compare()],
  };

  /** With how it was left. */
  function compare(): string[] {
    return describe().flatMap(([what, how]) =>
      left.get(what) === how ? [] : [`${what} is nobody's, and is ${how}, not ${left.get(what)}`],
    );
  }
}

/** Whether somebody can sign in. */
export function toActivityKey({ address }: Person): string {
  return `active ${address}`;
}

/** What somebody is called. */
export function toNameKey({ address }: Person): string {
  return `name ${address}`;
}

/** Whether somebody is in a group. */
export function toMemberKey(group: Group, { address }: Person): string {
  return `member ${group.n} ${address}`;
}
