import { describe } from 'vitest';
import { waitingFor } from '../domain/cell-test-support.ts';
import type { UserPolicy } from './plan-user.ts';
import {
  desired,
  different,
  drifted,
  observed,
  policy,
  runCases,
} from './plan-user-test-support.ts';

const suspending: UserPolicy = { ...policy, deactivation: 'temporarilyInactive' };
const update = { kind: 'update-user', upstreamId: 7 };
const updateCompany = { kind: 'update-company-user', upstreamId: 7 };
const inactive = { ...desired, active: false };
const suspended = { ...observed, temporarilyInactive: true };
const suspend = { ...updateCompany, temporarilyInactive: true, fields: ['active'] };
const resume = { ...updateCompany, temporarilyInactive: false, fields: ['active'] };

describe('the plan of a person: suspending instead of deactivating', () =>
  runCases([
    {
      why: 'who is to be inactive is suspended and keeps the SCIM switch',
      policy: suspending,
      state: { desired: inactive, cells: waitingFor({ active: 1 }) },
      actions: [suspend],
    },
    {
      why: 'access goes before the name',
      policy: suspending,
      state: {
        desired: { ...inactive, name: different.name },
        cells: waitingFor({ active: 1, name: 1 }),
      },
      actions: [suspend, { ...update, name: different.name }],
    },
    {
      why: 'who is suspended is inactive already',
      policy: suspending,
      state: { desired: inactive, observed: suspended, cells: waitingFor({ active: 1 }) },
      actions: [],
      done: ['active'],
    },
    {
      why: 'so is who was deactivated by the other switch',
      policy: suspending,
      state: {
        desired: inactive,
        observed: { ...observed, active: false },
        cells: waitingFor({ active: 1 }),
      },
      actions: [],
      done: ['active'],
    },
    {
      why: 'who is to work is not suspended',
      policy: suspending,
      state: { observed: suspended, cells: waitingFor({ active: 1 }) },
      actions: [resume],
    },
    {
      why: 'and both switches are put right',
      policy: suspending,
      state: { observed: { ...suspended, active: false }, cells: waitingFor({ active: 1 }) },
      actions: [{ ...update, active: true }, resume],
    },
    {
      why: 'only the switch that is wrong is touched',
      policy: suspending,
      state: { observed: { ...observed, active: false }, cells: waitingFor({ active: 1 }) },
      actions: [{ ...update, active: true }],
    },
    {
      why: 'permissions go in the same call',
      policy: suspending,
      state: {
        desired: { ...inactive, appsPermissions: 2 },
        cells: waitingFor({ active: 1, appsPermissions: 1 }),
      },
      actions: [{ ...suspend, appsPermissions: 2, fields: ['appsPermissions', 'active'] }],
    },
    {
      why: '"not suspended" does not let an inactive person in again',
      policy: suspending,
      state: {
        desired: { ...inactive, temporarilyInactive: false },
        observed: suspended,
        cells: waitingFor({ active: 1, temporarilyInactive: 1 }),
      },
      actions: [],
      done: ['active', 'temporarilyInactive'],
    },
    {
      why: 'nor while anything else changes',
      policy: suspending,
      state: {
        desired: { ...inactive, temporarilyInactive: false },
        cells: waitingFor({ active: 1, temporarilyInactive: 1 }),
      },
      actions: [{ ...suspend, fields: ['temporarilyInactive', 'active'] }],
    },
    {
      why: 'a wanted suspension of somebody active goes before the name',
      policy: suspending,
      state: {
        desired: { ...different, userName: desired.userName, appsPermissions: undefined },
        cells: waitingFor({ active: 1, name: 1 }),
      },
      actions: [suspend, { ...update, name: different.name }],
    },
    {
      why: 'by the SCIM switch a suspension is nobody’s business',
      state: { observed: suspended, cells: waitingFor({ active: 1 }) },
      actions: [],
      done: ['active'],
    },
  ]));

describe('the plan of a person: deactivating', () =>
  runCases([
    {
      why: 'a refusal of permissions cannot keep somebody in: access is taken first',
      state: {
        desired: { ...inactive, appsPermissions: 0 },
        cells: waitingFor({ active: 1, appsPermissions: 1 }),
      },
      actions: [
        { ...update, active: false },
        { ...updateCompany, appsPermissions: 0, fields: ['appsPermissions'] },
      ],
    },
  ]));

const gone = { deleted: true, desired: inactive };
const virtual = { ...observed, virtual: true };
const removal = { kind: 'remove-virtual-user', upstreamId: 7 };

describe('the plan of a deleted person', () =>
  runCases([
    {
      why: 'an ordinary account is deactivated',
      state: { ...gone, cells: waitingFor({ active: 1 }) },
      actions: [{ ...update, active: false }],
    },
    {
      why: 'or suspended',
      policy: suspending,
      state: { ...gone, cells: waitingFor({ active: 1 }) },
      actions: [suspend],
    },
    {
      why: 'a virtual account is removed',
      state: { ...gone, observed: virtual, cells: waitingFor({ active: 1 }) },
      actions: [removal],
    },
    {
      why: 'even an inactive one',
      state: { ...gone, observed: { ...virtual, active: false }, cells: waitingFor({ active: 1 }) },
      actions: [removal],
    },
    { why: 'but only while the removal waits', state: { ...gone, observed: virtual }, actions: [] },
    {
      why: 'a virtual account that lives is deactivated',
      state: { desired: inactive, observed: virtual, cells: waitingFor({ active: 1 }) },
      actions: [{ ...update, active: false }],
    },
    {
      why: 'nothing else of a deleted person is touched',
      state: { ...gone, observed: { ...drifted, active: false } },
      actions: [],
    },
  ]));
