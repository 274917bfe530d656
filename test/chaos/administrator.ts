import type { SandboxUser } from '../../src/sandbox/model.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxService } from '../../src/sandbox/service.ts';
import type { SeededRandom } from '../model/interleavings/seeded-random.ts';
import type { Company, Person } from './company.ts';
import { toAddress, toLink } from './company.ts';
import { drawOne } from './operations.ts';

/** The address of the account that changes the service behind the back of provider and bridge. */
export const ADMINISTRATOR = 'administrator@example.com';

/** A change of something managed that no provider asked for. */
export interface Trespass {
  readonly text: string;
  /** @returns whether it was there and was otherwise */
  carryOut(service: SandboxService): boolean;
}

/** Draws such a change. Undefined: nothing is managed yet. */
export function drawTrespass(company: Company, random: SeededRandom): Trespass | undefined {
  const managed = company.people.filter(({ wanted }) => wanted.isThere);
  const groups = company.groups.filter(({ wanted }) => wanted.isThere);
  if (managed.length === 0) return undefined;
  const person = random.pick(managed);
  return drawOne(
    random,
    [20, () => setActive(person, !person.wanted.active)],
    [20, () => callOtherwise(person, `Somebody Else${Math.floor(random.next() * 1_000)}`)],
    [
      groups.length === 0 ? 0 : 60,
      () => {
        const group = random.pick(groups);
        const members = [...group.wanted.members];
        const isLeaving = members.length > 0 && random.chance(0.5);
        return toggle(group, isLeaving ? random.pick(members) : person);
      },
    ],
  );
}

function setActive(person: Person, active: boolean): Trespass {
  return {
    text: `${person.address}: active ${active}`,
    carryOut(service) {
      const account = findAccount(service, person);
      if (account === undefined || account.active === active) return false;
      service.updateUser(account.id, { active });
      person.active.trespasses += 1;
      return true;
    },
  };
}

function callOtherwise(person: Person, fullName: string): Trespass {
  return {
    text: `${person.address}: ${fullName}`,
    carryOut(service) {
      const account = findAccount(service, person);
      if (account === undefined) return false;
      service.updateUser(account.id, { fullName });
      person.fullName.trespasses += 1;
      return true;
    },
  };
}

function toggle(group: Company['groups'][number], person: Person): Trespass {
  const isMember = !group.wanted.members.has(person);
  return {
    text: `${person.address} in group ${group.n}: ${isMember}`,
    carryOut(service) {
      const account = findAccount(service, person);
      const [only, another] = service.groups().filter(({ name }) => group.names.has(name));
      if (account === undefined || only === undefined || another !== undefined) return false;
      if (service.members(only.id).includes(account.email) === isMember) return false;
      if (isMember) service.link(only.id, account.id);
      else service.unlink(only.id, account.id);
      const link = toLink(group.members, person);
      // Whom no provider ever put in or out is shown as the service has it.
      if (!link.isAsked) link.allow(isMember);
      link.trespasses += 1;
      return true;
    },
  };
}

function findAccount(service: SandboxService, { address }: Person): SandboxUser | undefined {
  return service.users().find(({ email }) => toAddress(email) === address);
}

/** Fills the service with what is there before the bridge, and goes on changing what nobody manages. */
export class Administrator {
  readonly service: SandboxService;
  readonly #company: Company;
  readonly #left = new Map<string, string>();
  readonly #findings: string[] = [];

  constructor({ service }: Sandbox, company: Company) {
    service.addUser({ email: ADMINISTRATOR, fullName: 'An Administrator' });
    this.service = service.as(ADMINISTRATOR, '198.51.100.7');
    this.#company = company;
    const people = company.people.filter(({ origin }) => origin !== 'new');
    for (const { address, n } of people)
      this.service.addUser({ email: address, userName: address, fullName: `Person${n} Example` });
    for (const group of company.groups.filter(({ origin }) => origin !== 'new')) {
      this.service.createGroup({ name: `Group ${group.n}` });
      for (const person of people) {
        // Those whom the provider finds and then deletes have to stay in what nobody manages.
        if (group.origin !== 'unmanaged' && person.origin !== 'unmanaged') continue;
        this.service.link(`Group ${group.n}`, person.address);
        toLink(group.members, person).acknowledge(true);
      }
    }
    this.#remember();
  }

  changeOwn(random: SeededRandom): void {
    const { service } = this;
    const { people, groups } = this.#company;
    const isOwn = ({ origin }: Pick<Person, 'origin'>) => origin === 'unmanaged';
    const { address } = random.pick(people.filter(isOwn));
    this.#findings.push(...this.#compare());
    drawOne<unknown>(
      random,
      [20, () => service.updateUser(address, { active: !service.getUser(address).active })],
      [20, () => service.updateUser(address, { fullName: `Own Name${random.next()}` })],
      [
        60,
        () => {
          const name = `Group ${random.pick(groups.filter(isOwn)).n}`;
          // Somebody whom the provider has: those it deletes have to stay in here.
          const accounts = people.flatMap((person) => findAccount(service, person) ?? []);
          const { id, email } = random.pick(accounts);
          if (service.members(name).includes(email)) service.unlink(name, id);
          else service.link(name, id);
        },
      ],
    );
    this.#remember();
  }

  listFindings(): string[] {
    return [...this.#findings, ...this.#compare()];
  }

  #remember(): void {
    for (const [what, how] of this.#describe()) this.#left.set(what, how);
  }

  #compare(): string[] {
    return this.#describe()
      .filter(([what, how]) => this.#left.get(what) !== how)
      .map(([what, how]) => `${what} is nobody's, and is ${how}, not ${this.#left.get(what)}`);
  }

  #describe(): (readonly [what: string, how: string])[] {
    const { service } = this;
    const isOwn = ({ origin }: Pick<Person, 'origin'>) => origin === 'unmanaged';
    const people = this.#company.people.filter(isOwn).map(({ address }) => {
      const { updated, ...account } = service.getUser(address);
      return [address, JSON.stringify(account)] as const;
    });
    const groups = this.#company.groups.filter(isOwn).map(({ n }) => {
      const name = `Group ${n}`;
      const { updated, ...group } = service.getGroup(name);
      const lists = { members: service.members(name), admins: service.admins(name) };
      return [name, JSON.stringify({ ...group, ...lists })] as const;
    });
    return [...people, ...groups];
  }
}
