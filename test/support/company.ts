import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import { isJsonObject } from '../../src/domain/values.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { toObjects } from './operator.ts';
import type { Provider } from './provider.ts';

/** A person of the company, by address. */
export interface Person {
  readonly fullName: string;
  readonly active: boolean;
}

/** Who is in a group, by address, in alphabetical order. */
export interface People {
  readonly members: readonly string[];
  readonly admins: readonly string[];
}

/** All that providers care about. */
export interface Company {
  readonly people: Readonly<Record<string, Person>>;
  readonly groups: Readonly<Record<string, People>>;
}

/** The company as the service holds it. @throws Error when somebody or something is there twice */
export function readService({ service }: Pick<Sandbox, 'service'>): Company {
  const people = service.users().map((user) => {
    const person: Person = { fullName: user.fullName, active: user.active };
    return [user.email, person] as const;
  });
  const groups = service.groups().map((group) => {
    const { id } = group;
    return [
      group.name,
      { members: service.members(id), admins: withoutOwner(service.admins(id)) },
    ] as const;
  });
  return { people: fromUnique(people), groups: fromUnique(groups) };
}

/** The company as the bridge shows it. @throws Error when somebody or something is shown twice */
export async function readBridge(bridge: Pick<Provider, 'list'>): Promise<Company> {
  const users = await bridge.list('/Users?count=1000');
  const groups = await bridge.list('/Groups?count=1000');
  const addresses = new Map(users.map((user) => [user.id, toAddress(user)]));
  const toAddresses = (list: JsonValue | undefined) =>
    toObjects(list)
      .map(({ value }) => addresses.get(String(value)) ?? `nobody known as ${String(value)}`)
      .sort();
  const people = users.map((user) => {
    const name = isJsonObject(user.name) ? user.name : {};
    const fullName = `${String(name.givenName)} ${String(name.familyName)}`;
    return [toAddress(user), { fullName, active: user.active === true }] as const;
  });
  const lists = groups.map((group) => {
    const extension = group[GROUP_EXTENSION];
    const admins = isJsonObject(extension) ? extension.admins : undefined;
    const both: People = {
      members: toAddresses(group.members),
      admins: withoutOwner(toAddresses(admins)),
    };
    return [String(group.displayName), both] as const;
  });
  return { people: fromUnique(people), groups: fromUnique(lists) };
}

/** What the bridge shows when the service is like this: a deleted person is left in the service, inactive. */
export function withoutGone(company: Company, shown: Company): Company {
  const people = Object.entries(company.people).filter(
    ([address, { active }]) => active || address in shown.people,
  );
  return { ...company, people: Object.fromEntries(people) };
}

/** The token's account may be made an admin of what the bridge creates, which nobody asked for. */
function withoutOwner(addresses: readonly string[]): string[] {
  return addresses.filter((address) => address !== 'owner@example.com');
}

function toAddress(user: JsonObject): string {
  const [email] = toObjects(user.emails);
  return String(email?.value);
}

function fromUnique<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  const record = Object.fromEntries(entries);
  if (Object.keys(record).length === entries.length) return record;
  throw new Error(
    `there twice: ${entries
      .map(([key]) => key)
      .sort()
      .join(', ')}`,
  );
}
