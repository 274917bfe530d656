import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ask, type Cells, done, isWaiting } from '../../../src/domain/cell.ts';
import { userId } from '../../../src/domain/ids.ts';
import { fullName } from '../../../src/domain/name.ts';
import {
  type DesiredUser,
  listUserDifferences,
  type ObservedUser,
  type UserField,
  type UserState,
} from '../../../src/domain/user.ts';
import { planUser, type UserPolicy } from '../../../src/plan/plan-user.ts';
import { type Step, toValues } from '../../../src/plan/step.ts';
import { hold } from './hold.ts';

/** A service that holds one account, or none. */
interface World {
  account: ObservedUser | undefined;
  readonly takesAddress: boolean;
}

const FIELDS: readonly UserField[] = [
  'active',
  'name',
  'appsPermissions',
  'temporarilyInactive',
  'address',
];
const ID = 7;
/** More than any state needs. */
const STEPS_MAX = 10;

const word = fc.constantFrom('ada', 'bob', 'cy');
const address = word.map((text) => `${text}@example.com`);
const licence = fc.option(fc.constantFrom(0, 1, 2), { nil: undefined });
const flag = fc.option(fc.boolean(), { nil: undefined });
const name = fc.record({ givenName: word, familyName: word });

const desired: fc.Arbitrary<DesiredUser> = fc.record({
  userName: address,
  address,
  name: fc.option(name, { nil: undefined }),
  active: fc.boolean(),
  appsPermissions: licence,
  temporarilyInactive: flag,
});
const account: fc.Arbitrary<ObservedUser> = fc
  .record({
    userName: address,
    email: address,
    fullName: name.map(fullName),
    active: fc.boolean(),
    virtual: fc.boolean(),
    appsPermissions: fc.constantFrom(0, 1, 2),
    temporarilyInactive: fc.boolean(),
  })
  .map((seen) => ({ ...seen, at: 1, by: 'scim.getUser' }));
const policy: fc.Arbitrary<UserPolicy> = fc.record({
  deactivation: fc.constantFrom('scim', 'temporarilyInactive'),
  addressMayChange: fc.boolean(),
});

interface Case {
  readonly state: UserState;
  readonly world: World;
  readonly policy: UserPolicy;
}

const anyCase: fc.Arbitrary<Case> = fc
  .record({
    wanted: desired,
    held: fc.option(account, { nil: undefined }),
    isLinked: fc.boolean(),
    isSeen: fc.boolean(),
    mustLook: fc.boolean(),
    deleted: fc.boolean(),
    waiting: fc.subarray([...FIELDS]),
    takesAddress: fc.boolean(),
    policy,
  })
  .map(({ wanted, held, waiting, ...given }) => {
    const isLinked = given.isLinked && held !== undefined;
    const waits = isLinked ? waiting : [...waiting, 'account' as const];
    const state: UserState = {
      id: userId('u'),
      upstreamId: isLinked ? ID : undefined,
      desired: given.deleted ? { ...wanted, active: false } : wanted,
      observed: isLinked && given.isSeen ? held : undefined,
      cells: ask({}, waits, 1),
      version: 1,
      deleted: given.deleted,
      // An account that nobody has linked comes from a create whose answer was lost.
      mustLook: given.mustLook || (!isLinked && held !== undefined),
      sentCreates: [],
    };
    return {
      state,
      world: { account: held, takesAddress: given.takesAddress },
      policy: given.policy,
    };
  });

test('a plan carried out reaches what is desired in what waits, leaves all else alone, and the next plan is empty', () =>
  hold(
    fc.property(anyCase, (given) => {
      const world = { ...given.world };
      const before = world.account;
      const end = converge(given.state, world, given.policy);

      expect(end.cells).toEqual({});
      expect(planUser(end, given.policy).step).toBeUndefined();
      const differing = end.observed ? listDiffering(end, given.policy) : [];
      const settled = Object.keys(given.state.cells);
      expect(differing.filter((field) => field !== 'address' && settled.includes(field))).toEqual(
        [],
      );
      if (before !== undefined && world.account !== undefined)
        expect(toUntouched(world.account, given)).toEqual(toUntouched(before, given));
    }),
    250,
  ));

/** Plans and carries out until nothing is left to do, as the reconciler does. */
function converge(given: UserState, world: World, settings: UserPolicy): UserState {
  let state = given;
  let addressMayChange = settings.addressMayChange;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const current = { ...settings, addressMayChange };
    const { step, done } = planUser(state, current);
    state = { ...state, cells: settle(state, done) };
    if (step === undefined) return state;
    if (!carryOut(world, step)) addressMayChange = false;
    state = { ...state, ...see(world), mustLook: false };
    state = { ...state, cells: settle(state, listReached(state, current)) };
  }
  throw new Error('there is no end of steps');
}

/** What holds by now, which waits no longer. */
function listReached(state: UserState, policy: UserPolicy): UserField[] {
  // A look that finds nobody is all that is needed of somebody who is not to work.
  if (state.upstreamId === undefined && (state.deleted || !state.desired.active))
    return ['account'];
  if (state.observed === undefined) return [];
  const open = new Set<UserField>(listDiffering(state, policy));
  return [...FIELDS, 'account' as const].filter((field) => !open.has(field));
}

function listDiffering({ desired: wanted, observed }: UserState, { deactivation }: UserPolicy) {
  return observed ? listUserDifferences(wanted, observed, {}, deactivation) : [];
}

function settle({ cells }: UserState, fields: readonly string[]): Cells<UserField> {
  return done<string>(cells, cells, fields);
}

function see({ account: held }: World): Pick<UserState, 'upstreamId' | 'observed'> {
  return { upstreamId: held && ID, observed: held };
}

/** False: the service did not take it. */
function carryOut(world: World, step: Step): boolean {
  const { account: held } = world;
  const { userName = '', address, name, active, ...access } = toValues(step);
  const email = address === undefined ? {} : { email: address };
  switch (step.kind) {
    case 'look':
      return true;
    case 'create':
      expect(held).toBeUndefined();
      world.account = {
        userName,
        ...email,
        fullName: name ? fullName(name) : userName,
        active: true,
        at: 2,
        by: 'scim.addUser',
      };
      return true;
    case 'update': {
      const renamed = name ? { fullName: fullName(name) } : {};
      const isActive = active ?? getAccount(world).active;
      world.account = { ...getAccount(world), active: isActive, ...renamed };
      return true;
    }
    case 'access':
      world.account = Object.assign({}, getAccount(world), access);
      return true;
    case 'address':
      if (!world.takesAddress) return false;
      world.account = { ...getAccount(world), userName, ...email };
      return true;
    case 'remove':
      expect(getAccount(world).virtual).toBe(true);
      world.account = undefined;
      return true;
    default:
      throw new Error('no step of a user');
  }
}

function getAccount({ account: held }: World): ObservedUser {
  if (held === undefined) throw new Error('the service has no such account');
  return held;
}

/** What of the account belongs to no field that waited. Where suspending deactivates, two fields share a switch. */
function toUntouched(held: ObservedUser, { state, policy: { deactivation } }: Case): object {
  const waits = (field: UserField) => isWaiting(state.cells[field]);
  const switches = waits('active') || waits('temporarilyInactive');
  const isShared = deactivation === 'temporarilyInactive';
  const { userName, email, active, appsPermissions, temporarilyInactive } = held;
  return {
    ...(waits('name') ? {} : { fullName: held.fullName }),
    ...(waits('address') ? {} : { userName, email }),
    ...(waits('appsPermissions') ? {} : { appsPermissions }),
    ...((isShared ? switches : waits('active')) ? {} : { active }),
    ...((isShared ? switches : waits('temporarilyInactive')) ? {} : { temporarilyInactive }),
  };
}
