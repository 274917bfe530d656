import { describe } from 'vitest';
import { waitingFor } from '../domain/cell-test-support.ts';
import type { UserField } from '../domain/user.ts';
import {
  desired,
  different,
  drifted,
  observed,
  policy,
  runCases,
} from './plan-user-test-support.ts';

const everything = waitingFor<UserField>({
  active: 1,
  name: 1,
  appsPermissions: 1,
  temporarilyInactive: 1,
  address: 1,
});

const look = { kind: 'look-at-user', upstreamId: 7 };
const lookForAccount = { kind: 'look-at-user', upstreamId: undefined };

describe('the plan of a person: looking', () =>
  runCases([
    { why: 'nothing waits, so nothing is done', actions: [] },
    {
      why: 'an unknown outcome is looked at first',
      state: { mustLook: true, cells: everything },
      actions: [look],
    },
    { why: 'also when nothing waits', state: { mustLook: true }, actions: [look] },
    {
      why: 'also when the answer to a create was lost',
      state: {
        mustLook: true,
        upstreamId: undefined,
        observed: undefined,
        cells: waitingFor({ account: 1 }),
      },
      actions: [lookForAccount],
    },
    {
      why: 'an account that nobody saw is looked at before it is changed',
      state: { observed: undefined, cells: waitingFor({ active: 1 }) },
      actions: [look],
    },
  ]));

const unseen = { upstreamId: undefined, observed: undefined };
const create = {
  kind: 'create-user',
  userName: 'ada@example.com',
  address: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
};

describe('the plan of a person: an account', () =>
  runCases([
    {
      why: 'somebody wanted whom the service does not know is created',
      state: { ...unseen, cells: waitingFor({ account: 1 }) },
      actions: [create],
    },
    {
      why: 'without a name where nobody gave one',
      state: {
        ...unseen,
        cells: waitingFor({ account: 1 }),
        desired: { ...desired, name: undefined },
      },
      actions: [{ ...create, name: undefined }],
    },
    {
      why: 'somebody inactive costs no call until active',
      state: { ...unseen, cells: waitingFor({}), desired: { ...desired, active: false } },
      actions: [],
    },
    {
      why: 'somebody inactive who may have an account is looked for',
      state: {
        ...unseen,
        cells: waitingFor({ account: 1 }),
        desired: { ...desired, active: false },
      },
      actions: [lookForAccount],
    },
    {
      why: 'nobody deleted is created, whatever else is said of them',
      state: {
        ...unseen,
        cells: waitingFor({ account: 1 }),
        deleted: true,
      },
      actions: [lookForAccount],
    },
    {
      why: 'what waits without an account waits for nothing',
      state: { ...unseen, cells: waitingFor({ active: 1, name: 2 }) },
      actions: [],
      done: ['active', 'name'],
    },
    {
      why: 'without an address there is no create, and the wish stays',
      state: {
        ...unseen,
        cells: waitingFor({ account: 1 }),
        desired: { ...desired, address: undefined },
      },
      actions: [],
    },
    {
      why: 'an account that is there by now needs no create',
      state: { cells: waitingFor({ account: 1 }) },
      actions: [],
      done: ['account'],
    },
  ]));

const update = { kind: 'update-user', upstreamId: 7 };
const updateCompany = { kind: 'update-company-user', upstreamId: 7 };
const tryAddress = {
  kind: 'try-address',
  upstreamId: 7,
  userName: 'augusta@example.com',
  address: 'ada@example.com',
};
describe('the plan of a person: changes', () =>
  runCases([
    {
      why: 'what merely differs is drift and nobody touches it',
      state: { desired: different, observed: drifted },
      actions: [],
    },
    {
      why: 'a change of one field never touches a drifted one',
      state: { observed: { ...drifted, active: false }, cells: waitingFor({ active: 1 }) },
      actions: [{ ...update, active: true }],
    },
    {
      why: 'what waits and holds is done without a call',
      state: { cells: waitingFor({ active: 1, name: 2, address: 3 }) },
      actions: [],
      done: ['active', 'name', 'address'],
    },
    {
      why: 'one call for all attributes',
      state: {
        desired: { ...different, active: false },
        cells: waitingFor({ active: 1, name: 1 }),
      },
      actions: [{ ...update, active: false, name: different.name }],
    },
    {
      why: 'a suspension first, another call for the name, and the address last',
      state: { desired: different, cells: everything },
      actions: [
        {
          ...updateCompany,
          appsPermissions: 2,
          temporarilyInactive: true,
          fields: ['appsPermissions', 'temporarilyInactive'],
        },
        { ...update, name: different.name },
        tryAddress,
      ],
      done: ['active'],
    },
    {
      why: 'permissions of zero are sent',
      state: {
        desired: { ...desired, appsPermissions: 0 },
        observed: drifted,
        cells: waitingFor({ appsPermissions: 1 }),
      },
      actions: [{ ...updateCompany, appsPermissions: 0, fields: ['appsPermissions'] }],
    },
    {
      why: 'a suspension is lifted',
      state: {
        desired: { ...desired, temporarilyInactive: false },
        observed: drifted,
        cells: waitingFor({ temporarilyInactive: 1 }),
      },
      actions: [{ ...updateCompany, temporarilyInactive: false, fields: ['temporarilyInactive'] }],
    },
    {
      why: 'an address that may not change is done without a try',
      policy: { ...policy, addressMayChange: false },
      state: { desired: different, cells: waitingFor({ address: 1 }) },
      actions: [],
      done: ['address'],
    },
    {
      why: 'an address that may not change ends nothing else',
      policy: { ...policy, addressMayChange: false },
      state: {
        desired: { ...different, active: false },
        cells: waitingFor({ active: 1, address: 1 }),
      },
      actions: [{ ...update, active: false }],
      done: ['address'],
    },
    {
      why: 'a field that waits beside one that holds',
      state: {
        observed: { ...observed, active: false },
        cells: waitingFor({ active: 1, name: 2 }),
      },
      actions: [{ ...update, active: true }],
      done: ['name'],
    },
    {
      why: 'what came back for this name before is no difference',
      state: {
        observed: { ...observed, fullName: 'A.L.' },
        cells: { name: { pending: 1, echo: { sent: 'Ada Lovelace', back: 'A.L.' } } },
      },
      actions: [],
      done: ['name'],
    },
  ]));
