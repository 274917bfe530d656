import { describe, expect, test } from 'vitest';
import { toVersions, waitingFor } from './cell-test-support.ts';
import { USER_EXTENSION } from './extensions.ts';
import { userId } from './ids.ts';
import type { JsonObject } from './json.ts';
import {
  type Deactivation,
  type ObservedUser,
  toDesiredUser,
  type UserField,
  type UserState,
} from './user.ts';
import { toCellsAfterWrite, toUserFields, type UserWrite } from './user-write.ts';

const ALL: UserField[] = ['active', 'name', 'appsPermissions', 'temporarilyInactive', 'address'];

const attributes: JsonObject = {
  userName: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  active: true,
};
const held: ObservedUser = {
  userName: 'ada@example.com',
  email: 'ada@example.com',
  fullName: 'Ada Lovelace',
  active: true,
  at: 1,
  by: 'scim.getUser',
};
const settled: UserState = {
  id: userId('u'),
  upstreamId: 7,
  desired: toDesiredUser(attributes, false),
  observed: held,
  cells: {},
  version: 8,
  deleted: false,
  mustLook: false,
  sentCreates: [],
};
const neverSeen: UserState = { ...settled, upstreamId: undefined, observed: undefined };

interface WriteCase {
  readonly why: string;
  readonly state?: UserState;
  readonly attributes?: JsonObject;
  readonly fields?: UserField[];
  readonly inFlight?: true;
  readonly deactivation?: Deactivation;
  readonly want: object;
}

const inactive = { ...attributes, active: false };
const renamed = { ...attributes, name: { givenName: 'Augusta', familyName: 'King' } };

const cases: WriteCase[] = [
  { why: 'a write that changes nothing waits for nothing', want: {} },
  {
    why: 'what the service does not hold waits for this write',
    attributes: inactive,
    want: { active: 9 },
  },
  {
    why: 'a field that the write does not name stays drifted',
    state: { ...settled, observed: { ...held, fullName: 'Drifted' } },
    attributes: inactive,
    fields: ['active'],
    want: { active: 9 },
  },
  {
    why: 'a write that names a drifted field repairs it',
    state: { ...settled, observed: { ...held, fullName: 'Drifted' } },
    want: { name: 9 },
  },
  {
    why: 'what waited for an earlier write is claimed by this one, even when it holds by now',
    state: { ...settled, cells: waitingFor({ name: 3, active: 4 }) },
    fields: ['name'],
    want: { name: 9, active: 4 },
  },
  {
    why: 'a call on its way may change what is seen, so everything named waits',
    inFlight: true,
    want: { active: 9, name: 9, address: 9 },
  },
  {
    why: 'so it does when a look is owed',
    state: { ...settled, mustLook: true },
    fields: ['active'],
    want: { active: 9 },
  },
  {
    why: 'and when nobody ever looked',
    state: { ...settled, observed: undefined },
    want: { active: 9, name: 9, address: 9 },
  },
  {
    why: 'a name that nobody gave never waits',
    attributes: { userName: 'ada@example.com' },
    inFlight: true,
    want: { active: 9, address: 9 },
  },
  {
    why: 'an extension that was never set never waits, one that was does',
    attributes: { ...attributes, [USER_EXTENSION]: { appsPermissions: 2 } },
    inFlight: true,
    fields: ['appsPermissions', 'temporarilyInactive'],
    want: { appsPermissions: 9 },
  },
  {
    why: 'a suspension that was set waits',
    attributes: { ...attributes, [USER_EXTENSION]: { temporarilyInactive: true } },
    fields: ['temporarilyInactive'],
    want: { temporarilyInactive: 9 },
  },
  {
    why: 'the switch that stands for active decides whether it differs',
    state: {
      ...settled,
      observed: { ...held, temporarilyInactive: true },
    },
    deactivation: 'temporarilyInactive',
    want: { active: 9 },
  },
  {
    why: 'what came back for this name before is no difference',
    state: {
      ...settled,
      observed: { ...held, fullName: 'A. Lovelace' },
      cells: { name: { echo: { sent: 'Ada Lovelace', back: 'A. Lovelace' } } },
    },
    want: {},
  },
  {
    why: 'somebody new waits for an account and nothing else',
    state: neverSeen,
    want: { account: 9 },
  },
  {
    why: 'somebody new who is inactive waits for nothing',
    state: { ...neverSeen, desired: { ...neverSeen.desired, active: false } },
    attributes: inactive,
    want: {},
  },
  {
    why: 'somebody without a known account who was to work and is not is looked for',
    state: neverSeen,
    attributes: inactive,
    want: { account: 9 },
  },
  {
    why: 'a deactivation before the create was sent takes it back',
    state: { ...neverSeen, cells: waitingFor({ account: 3 }) },
    attributes: inactive,
    want: {},
  },
  {
    why: 'a deactivation while the create may be on its way waits for what comes of it',
    state: { ...neverSeen, cells: waitingFor({ account: 3 }) },
    attributes: inactive,
    inFlight: true,
    want: { account: 9 },
  },
  {
    why: 'a look on its way is no create',
    state: { ...neverSeen, desired: { ...neverSeen.desired, active: false } },
    attributes: inactive,
    inFlight: true,
    want: {},
  },
  {
    why: 'any write claims the create that waits',
    state: { ...neverSeen, cells: waitingFor({ account: 3 }) },
    attributes: renamed,
    want: { account: 9 },
  },
];

describe('what waits after a write of a person', () => {
  test.each(cases)('$why', ({ state, attributes: after, fields, inFlight, deactivation, want }) => {
    const write: UserWrite = {
      state: state ?? settled,
      cells: (state ?? settled).cells,
      attributes: after ?? attributes,
      fields: fields ?? ALL,
      version: 9,
      inFlight: inFlight ?? false,
      deactivation: deactivation ?? 'scim',
    };

    expect(toVersions(toCellsAfterWrite(write))).toEqual(want);
  });
});

const named: { why: string; names: string[]; want: UserField[] }[] = [
  { why: 'active', names: ['active'], want: ['active'] },
  { why: 'the name', names: ['name'], want: ['name'] },
  { why: 'userName and e-mails are one field', names: ['userName', 'emails'], want: ['address'] },
  { why: 'the userName alone', names: ['userName'], want: ['address'] },
  { why: 'the e-mails alone', names: ['emails'], want: ['address'] },
  {
    why: 'the licence alone',
    names: [`${USER_EXTENSION}:appsPermissions`],
    want: ['appsPermissions'],
  },
  {
    why: 'the suspension alone',
    names: [`${USER_EXTENSION}:temporarilyInactive`],
    want: ['temporarilyInactive'],
  },
  {
    why: 'nothing the service could hold',
    names: ['title', 'displayName', 'externalId'],
    want: [],
  },
];

describe('the owned fields that a write speaks of', () => {
  test.each(named)('$why', ({ names, want }) => {
    expect(toUserFields(new Set(names))).toEqual(want);
  });
});
