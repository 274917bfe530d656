import { expect } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { SandboxService } from '../../src/sandbox/service.ts';
import type { TestBridge } from './bridge.ts';
import { replace, toGroup, toMembers } from './provider.ts';

/** Who is in the company of `addCompany`. */
export const [ada, bob] = ['ada@example.com', 'bob@example.com'];
const carl = 'carl@example.com';

/** Ada, who has a licence, bob, and carl, who is wanted inactive; Pilots with ada in it and as its admin. */
export async function addCompany(bridge: TestBridge): Promise<string> {
  const id = await bridge.addUser('ada', { [USER_EXTENSION]: { appsPermissions: 2 } });
  const [, carlId] = await bridge.addPeople('bob', 'carl');
  await bridge.patch(`/Users/${carlId}`, replace('active', false));
  const extension = { permissions: 2, admins: toMembers([id]) };
  await bridge.send('POST', '/Groups', toGroup('Pilots', [id], extension));
  await bridge.untilSettled();
  return id;
}

/** Somebody who can be missed: only virtual accounts can be removed. */
export const VERA = 'vera@example.com';

/** A managed person whom an administrator can remove; `look` has the bridge see the account first. */
export async function addVera(bridge: TestBridge, look: () => Promise<unknown>): Promise<void> {
  bridge.sandbox.service.addUser({ email: VERA, userName: VERA, virtual: true });
  await look();
  await bridge.settled(bridge.addUser('vera'));
}

/** A change behind the provider's back, and the drift that it is. */
export interface DriftCell {
  readonly kind: string;
  /** Of what it is, with `of` and the person where it is about one in a list. */
  readonly name: string;
  readonly change: (service: SandboxService) => unknown;
  readonly changeBack?: (service: SandboxService) => unknown;
}

type Change = Omit<DriftCell, 'kind' | 'name'>;
type Update = Parameters<SandboxService['updateUser']>[1];

const update = (email: string, now: Update, before: Update): Change => ({
  change: (service) => service.updateUser(email, now),
  changeBack: (service) => service.updateUser(email, before),
});
const join = (list: 'member' | 'admin'): Change => ({
  change: (service) => service.link('Pilots', bob, list),
  changeBack: (service) => service.unlink('Pilots', bob, list),
});
const leave = (list: 'member' | 'admin'): Change => ({
  change: (service) => service.unlink('Pilots', ada, list),
  changeBack: (service) => service.link('Pilots', ada, list),
});
const [named, licensed] = [{ fullName: 'Bob Example' }, { appsPermissions: 2 }];

/** One for each kind of difference of something managed. */
export const driftCells: readonly DriftCell[] = [
  { kind: 'user.deactivated', name: ada, ...update(ada, { active: false }, { active: true }) },
  { kind: 'user.activated', name: carl, ...update(carl, { active: true }, { active: false }) },
  { kind: 'user.renamed', name: bob, ...update(bob, { fullName: 'Robert' }, named) },
  { kind: 'user.access', name: ada, ...update(ada, { appsPermissions: 4 }, licensed) },
  {
    kind: 'group.renamed',
    name: 'Pilots',
    change: (service) => service.updateGroup('Pilots', { name: 'Aviators' }),
    changeBack: (service) => service.updateGroup('Aviators', { name: 'Pilots' }),
  },
  {
    kind: 'group.permissions',
    name: 'Pilots',
    change: (service) => service.updateGroup('Pilots', { permissions: 16 }),
    changeBack: (service) => service.updateGroup('Pilots', { permissions: 2 }),
  },
  { kind: 'group.missing', name: 'Pilots', change: (service) => service.deleteGroup('Pilots') },
  { kind: 'member.added', name: `Pilots of ${bob}`, ...join('member') },
  { kind: 'member.removed', name: `Pilots of ${ada}`, ...leave('member') },
  { kind: 'admin.added', name: `Pilots of ${bob}`, ...join('admin') },
  { kind: 'admin.removed', name: `Pilots of ${ada}`, ...leave('admin') },
];

/** True of a kind that is not among those of `assertFindsEveryKind`, whose other rows name the group as it was. */
export function isMetAlone({ kind }: DriftCell): boolean {
  return kind === 'group.renamed' || kind === 'group.missing';
}

/** Differences of every kind at once are found by a sweep, and seen to be gone by the next one. */
export async function assertFindsEveryKind(bridge: TestBridge): Promise<void> {
  const cells = driftCells.filter((cell) => !isMetAlone(cell));
  const { service } = bridge.sandbox;
  await addCompany(bridge);
  await bridge.sweep();
  const quiet = await bridge.listDrifts();

  for (const { change } of cells) change(service);
  await bridge.sweep();
  const found = await bridge.listDrifts();
  for (const { changeBack } of cells) changeBack?.(service);
  await bridge.sweep();

  expect(quiet).toEqual([]);
  expect(found).toEqual(cells.map(({ kind, name }) => `${kind} ${name}`).toSorted());
  expect(await bridge.listDrifts()).toEqual([]);
  expect(await bridge.listDrifts('gone')).toEqual(found);
}
