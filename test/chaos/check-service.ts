import type { SandboxGroup } from '../../src/sandbox/model.ts';
import type { SandboxService } from '../../src/sandbox/service.ts';
import { type Trespasses, toActivityKey, toMemberKey, toNameKey } from './administrator.ts';
import { type Company, type Group, type Person, toAddress } from './company.ts';
import type { ShownDrift } from './operator.ts';
import type { Shown, ShownGroup, ShownUser } from './shown.ts';

/** What the service is compared with. */
export interface ServiceCheck {
  readonly company: Company;
  readonly shown: Shown;
  /** What people changed, and what the bridge says of it. */
  readonly trespasses: Trespasses;
  readonly drifts: readonly ShownDrift[];
  /** What is done about such a change: `report` leaves it, `repair` leaves what was repaired again and again. */
  readonly policy: 'report' | 'repair';
  readonly bystanders: ReadonlySet<string>;
}

/** What the service holds that the store does not show, or lacks, unless somebody changed that and the bridge says so. */
export function listServiceFindings(service: SandboxService, check: ServiceCheck): string[] {
  const { company, shown, bystanders } = check;
  const known = new Set([...bystanders, ...company.people.map(({ address }) => address)]);
  const isKnown = ({ name }: SandboxGroup) => company.groups.some(({ names }) => names.has(name));
  return [
    ...company.people.flatMap((person) => {
      const user = shown.users.find(({ userName }) => userName === person.address);
      return judgePerson(service, check, { person, user });
    }),
    ...company.groups.flatMap((group) => {
      const one = shown.groups.find(({ displayName }) => group.names.has(displayName));
      return judgeGroup(service, check, { group, shown: one });
    }),
    ...service
      .users()
      .filter(({ email }) => !known.has(toAddress(email)))
      .map(({ email }) => `the service has ${email}, whom nobody asked for`),
    ...service
      .groups()
      .filter((group) => !isKnown(group))
      .map(({ name }) => `the service has the group ${name}, which nobody asked for`),
  ];
}

interface PersonPair {
  readonly person: Person;
  readonly user: ShownUser | undefined;
}

function judgePerson(
  service: SandboxService,
  check: ServiceCheck,
  { person, user }: PersonPair,
): string[] {
  const { address } = person;
  const accounts = service.users().filter(({ email }) => toAddress(email) === address);
  const [account] = accounts;
  if (accounts.length > 1) return [`${address} is in the service ${accounts.length} times`];
  if (account === undefined) {
    // Nobody who is not to work needs an account.
    return user?.active === true ? [`${address} is missing in the service`] : [];
  }
  if (user === undefined) {
    if (!account.active || isExplained(check, toActivityKey(person), 'user.activated', address))
      return [];
    return [`${address} was deleted and is active in the service`];
  }
  const isActive =
    account.active === user.active ||
    isExplained(
      check,
      toActivityKey(person),
      `user.${account.active ? 'activated' : 'deactivated'}`,
      address,
    );
  const isCalled =
    account.fullName === user.fullName ||
    isExplained(check, toNameKey(person), 'user.renamed', address);
  return [
    ...(isActive
      ? []
      : [`${address} is active in the service: ${account.active}, in SCIM ${user.active}`]),
    ...(isCalled
      ? []
      : [`${address} is called ${account.fullName} in the service, in SCIM ${user.fullName}`]),
    ...(account.temporarilyInactive === user.isSuspended
      ? []
      : [
          `${address} is suspended in the service: ${account.temporarilyInactive}, in SCIM ${user.isSuspended}`,
        ]),
  ];
}

interface GroupPair {
  readonly group: Group;
  readonly shown: ShownGroup | undefined;
}

function judgeGroup(
  service: SandboxService,
  check: ServiceCheck,
  { group, shown }: GroupPair,
): string[] {
  const what = `group ${group.n}`;
  const found = service.groups().filter(({ name }) => group.names.has(name));
  if (shown === undefined)
    return found.length === 0
      ? []
      : [`${what} is in the service ${found.length} times, in SCIM never`];
  const [only] = found;
  if (only === undefined || found.length > 1)
    return [`${what} is in the service ${found.length} times`];
  const { id, name, addToCardsAndSpacesEnabled: isOffered } = only;
  const members = new Set(service.members(id).map(toAddress));
  const hasAccount = new Set(service.users().map(({ email }) => toAddress(email)));
  const admins = new Set(service.admins(id).map(toAddress));
  return [
    ...(name === shown.displayName
      ? []
      : [`${what} is called ${name} in the service, in SCIM ${shown.displayName}`]),
    ...(isOffered === shown.isOffered
      ? []
      : [`${what} is offered in the service: ${isOffered}, in SCIM ${shown.isOffered}`]),
    ...check.company.people.flatMap((person) => {
      const { address } = person;
      if (!hasAccount.has(address)) return [];
      // Who was deleted is shown nowhere, and leaves nothing but what is managed.
      const isShownAtAll = check.shown.users.some(({ userName }) => userName === address);
      if (group.origin === 'unmanaged' && !isShownAtAll) return [];
      const [isMember, isShown] = [members.has(address), shown.members.has(address)];
      const isSame = isMember === isShown || isMemberExplained(check, { group, person, isMember });
      return [
        ...(isSame
          ? []
          : [`${address} in ${what} in the service: ${isMember}, in SCIM ${isShown}`]),
        ...(admins.has(address) === shown.admins.has(address)
          ? []
          : [
              `${address} administers ${what} in the service: ${admins.has(address)}, in SCIM ${shown.admins.has(address)}`,
            ]),
      ];
    }),
  ];
}

interface Membership {
  readonly group: Group;
  readonly person: Person;
  /** In the service. */
  readonly isMember: boolean;
}

/** As `isExplained`. That somebody who does not work was taken out of a group is left as it is until they do. */
function isMemberExplained(check: ServiceCheck, { group, person, isMember }: Membership): boolean {
  const key = toMemberKey(group, person);
  const { shown, trespasses } = check;
  const user = shown.users.find(({ userName }) => userName === person.address);
  // Nor is it told of that somebody who was deleted was put into one.
  if (user === undefined || (!isMember && !user.active)) return trespasses.has(key);
  const name = shown.groups.find(({ displayName }) => group.names.has(displayName))?.displayName;
  const kind = isMember ? 'member.added' : 'member.removed';
  return isExplained(check, key, kind, name, person.address);
}

/** Whether somebody changed that, and the bridge tells of it and has a reason to leave it. */
function isExplained(
  { trespasses, drifts, policy }: ServiceCheck,
  key: string,
  ...[kind, resource, member]: readonly (string | undefined)[]
): boolean {
  const drift = drifts.find(
    (one) =>
      one.kind === kind &&
      one.resource.name === resource &&
      (one.member?.name ?? undefined) === member,
  );
  const isLeft = policy === 'report' ? drift?.status === 'open' : drift?.status === 'contested';
  return trespasses.has(key) && isLeft;
}
