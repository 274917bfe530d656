import { expect, test } from 'vitest';
import { z } from 'zod';
import { opsRoutes } from '../routes.ts';
import { hidePersonal, isPersonal } from './personal.ts';
import { opsSchemas } from './schemas.ts';

/** Texts of answers to readers that can hold no name of a person, by their place. A new text is marked as personal, or listed. */
const PLAIN: Readonly<Record<string, string>> = {
  ActList:
    'items.act items.credential items.id items.request items.requestId items.target nextCursor',
  ClientList:
    'items.createdBy items.id items.provider items.secrets.createdBy items.secrets.id items.trust.audiences items.trust.claims.name items.trust.issuer items.trust.jwksUri items.trust.keyIds items.trust.once nextCursor',
  DriftList: 'items.id items.member.id items.planId items.resource.id nextCursor',
  Erasure: 'id obstacles.detail',
  Explanation: 'admins.id fields.field groups.id id problem.code provider seen.by upstream',
  FirstRun: 'items.id items.upstreamId nextCursor planId reading.step',
  Group: 'bridgeOnly id pending problem.code provider upstreamIds.scimId upstreamIds.uid',
  GroupList:
    'items.bridgeOnly items.id items.pending items.problem.code items.provider items.upstreamIds.scimId items.upstreamIds.uid nextCursor',
  LeaverList:
    'items.asked.credential items.asked.requestId items.logged.code items.logged.eventId items.person.id items.planId items.problem.code items.remains.parts.found.id items.remains.parts.why items.seen.by items.sent.error items.sent.operation nextCursor',
  MemberList: 'items.id nextCursor',
  NotificationList: 'items.error items.id items.receiver items.subject items.type nextCursor',
  Plan: 'actions.member.id actions.reason actions.resource.id hash id reason undoes',
  PlanActionList: 'items.member.id items.reason items.resource.id nextCursor',
  PlanPartList: 'items.group nextCursor',
  PlanList: 'items.hash items.id items.reason items.undoes nextCursor',
  ProviderList: 'items.createdBy items.domains items.name nextCursor',
  Recovery: 'detection.code planId reading.step',
  RequestList:
    'items.client items.credential items.method items.refusal items.requestId items.resource.id items.route items.scimType items.written.path items.written.words nextCursor',
  Sandbox: 'token url',
  SessionList: 'items.id nextCursor',
  SettingList: 'items.name items.source items.variable nextCursor',
  Status:
    'bridge.version failing.id failing.problem.code firstRead.step lastSweep.id lastSweep.planId lastSweep.reasons leavers.first.id leavers.first.plan leavers.plan reasons.code reasons.detail reasons.remedy scimUrl stuck.id stuck.problem.code',
  Sweep: 'id planId reasons',
  SweepList: 'items.id items.planId items.reasons nextCursor',
  Timeline: 'id items.others.id',
  TokenList: 'items.createdBy items.id items.provider nextCursor',
  User: 'bridgeOnly id pending problem.code provider',
  UserList: 'items.bridgeOnly items.id items.pending items.problem.code items.provider nextCursor',
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
