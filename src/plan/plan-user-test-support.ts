import { expect, test } from 'vitest';
import { userId } from '../domain/ids.ts';
import type { DesiredUser, ObservedUser, UserField, UserState } from '../domain/user.ts';
import { planUser, type UserPolicy } from './plan-user.ts';

/** Desired state of an ordinary user. */
export const desired: DesiredUser = {
  userName: 'ada@example.com',
  address: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  active: true,
  appsPermissions: undefined,
  temporarilyInactive: undefined,
};
/** Observation of the same user, with no difference. */
export const observed: ObservedUser = {
  userName: 'ada@example.com',
  email: 'ada@example.com',
  fullName: 'Ada Lovelace',
  active: true,
  at: 1,
  by: 'scim.getUser',
};
/** User with an account and no pending change. */
const held: UserState = {
  id: userId('u'),
  upstreamId: 7,
  desired,
  observed,
  cells: {},
  version: 3,
  deleted: false,
  mustLook: false,
  sentCreates: [],
};
/** The settings' defaults. */
export const policy: UserPolicy = { deactivation: 'scim', addressMayChange: true };

/** Desired state that differs in every field. */
export const different: DesiredUser = {
  ...desired,
  userName: 'augusta@example.com',
  name: { givenName: 'Augusta', familyName: 'King' },
  appsPermissions: 2,
  temporarilyInactive: true,
};

/** Observation after another program changed every field. */
export const drifted: ObservedUser = {
  ...observed,
  fullName: 'Drifted',
  appsPermissions: 5,
  temporarilyInactive: true,
  userName: 'drifted',
};

/** One promise of a plan. */
export interface PlanCase {
  readonly why: string;
  readonly state?: Partial<UserState>;
  readonly policy?: UserPolicy;
  readonly actions: readonly object[];
  readonly done?: readonly UserField[];
}

function planCase({ state, policy: given }: PlanCase) {
  return planUser({ ...held, ...state }, given ?? policy);
}

/** Plans each case from `held`. */
export function runCases(cases: readonly PlanCase[]): void {
  test.each(cases)('$why', (row) => {
    expect(planCase(row)).toStrictEqual({ actions: row.actions, done: row.done ?? [] });
  });
}
