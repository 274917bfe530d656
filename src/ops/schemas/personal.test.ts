import { expect, test } from 'vitest';
import { z } from 'zod';
import { opsRoutes } from '../routes.ts';
import { hidePersonal, isPersonal } from './personal.ts';
import { opsSchemas } from './schemas.ts';

/** Texts of answers to readers that can hold no name of a person, by their place. A new text is marked as personal, or listed. */
const PLAIN: Readonly<Record<string, string>> = {
  ActList:
    'items.act items.credential items.id items.request items.requestId items.target nextCursor',
  ClientList: 'items.createdBy items.id items.secrets.createdBy items.secrets.id nextCursor',
  DriftList: 'items.id items.member.id items.planId items.resource.id nextCursor',
  Erasure: 'id obstacles.detail',
  Explanation: 'admins.id fields.field groups.id id problem.code seen.by upstream',
  FirstRun: 'items.id items.upstreamId nextCursor planId',
  Group: 'bridgeOnly id pending problem.code upstreamIds.scimId upstreamIds.uid',
  GroupList:
    'items.bridgeOnly items.id items.pending items.problem.code items.upstreamIds.scimId items.upstreamIds.uid nextCursor',
  MemberList: 'items.id nextCursor',
  NotificationList: 'items.error items.id items.receiver items.subject items.type nextCursor',
  Plan: 'actions.member.id actions.reason actions.resource.id hash id reason undoes',
  PlanActionList: 'items.member.id items.reason items.resource.id nextCursor',
  PlanList: 'items.hash items.id items.reason items.undoes nextCursor',
  Recovery: 'detection.code planId',
  RequestList:
    'items.client items.credential items.method items.requestId items.resource.id items.route items.scimType items.written.path nextCursor',
  Sandbox: 'token url',
  SessionList: 'items.id nextCursor',
  SettingList: 'items.name items.source items.variable nextCursor',
  Status:
    'bridge.version failing.id failing.problem.code firstRead.step lastSweep.id lastSweep.planId lastSweep.reasons leavers.plan reasons.code reasons.detail reasons.remedy scimUrl stuck.id stuck.problem.code',
  Sweep: 'id planId reasons',
  SweepList: 'items.id items.planId items.reasons nextCursor',
  Timeline: 'id items.others.id',
  TokenList: 'items.createdBy items.id nextCursor',
  User: 'bridgeOnly id pending problem.code',
  UserList: 'items.bridgeOnly items.id items.pending items.problem.code nextCursor',
};

/** Places of free texts and of JSON that are not marked. */
function listFree(schema: z.core.$ZodType, place: string): string[] {
  if (isPersonal(schema)) return [];
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return listFree(schema.def.innerType, place);
  if (schema instanceof z.ZodArray) return listFree(schema.def.element, place);
  if (schema instanceof z.ZodUnion)
    return schema.def.options.flatMap((option) => listFree(option, place));
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.def.shape).flatMap(([name, member]) =>
      listFree(member, place === '' ? name : `${place}.${name}`),
    );
  }
  const isFree = schema instanceof z.ZodString || schema instanceof z.ZodUnknown;
  return isFree ? [place] : [];
}

test('each text that a reader is shown is marked as personal, or is known to name nobody', () => {
  const shown = opsRoutes.flatMap(({ method, answers }) =>
    method === 'get' ? Object.values(answers) : [],
  );
  const free = [...new Set(shown)]
    .filter((name) => name !== 'OpenApi' && name !== 'Problem')
    .map((name) => [name, listFree(opsSchemas[name], '').toSorted().join(' ')] as const)
    .filter(([, places]) => places !== '');
  expect(Object.fromEntries(free)).toEqual(PLAIN);
});

test('what a schema does not describe is hidden, text by text', () => {
  const schema = z.looseObject({ code: z.string() });
  expect(hidePersonal(schema, { code: 'refused', more: ['Ada', 7, { who: 'Bob' }] })).toEqual({
    code: 'refused',
    more: ['hidden', 7, { who: 'hidden' }],
  });
});
