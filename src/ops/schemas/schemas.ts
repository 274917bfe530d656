import { z } from 'zod';
import { SETTING_ORIGINS } from '../../settings/shown.ts';
import * as access from './access.ts';
import { act } from './acts.ts';
import { census } from './census.ts';
import * as drifts from './drift.ts';
import { handover, idImport } from './handover.ts';
import { type JsonOf, listOf, problem } from './kinds.ts';
import { leaver } from './leavers.ts';
import * as notifications from './notifications.ts';
import { plan, planAction, planPart, planSummary, undoing, undoPreview } from './plans.ts';
import { limitsBody, provider, providerBody } from './providers.ts';
import { firstRun, hashBody, recovery } from './recovery.ts';
import { callBody, callFailure, callResult, keptRequest } from './requests.ts';
import * as resources from './resources.ts';
import { samples } from './samples.ts';
import { pauseBody, retry, retryBody, status, writes } from './state.ts';

/** One setting in effect. */
const setting = z.strictObject({
  name: z.string(),
  variable: z.string().describe('The environment variable that sets it.'),
  value: z
    .string()
    .nullable()
    .describe('As it may be written in a settings file, secrets hidden; null: not set.'),
  from: z
    .enum(SETTING_ORIGINS)
    .describe('Where the value comes from; `secret-file`: a file that a variable `…_FILE` names.'),
  source: z
    .string()
    .nullable()
    .describe('The variable or the settings file that sets it; null: the default holds.'),
});

/** Bodies and answers of every request below `/ops`, by their name in the description. */
export const opsSchemas = {
  Problem: problem,
  Status: status,
  Writes: writes,
  Samples: samples,
  Sandbox: z.strictObject({
    url: z.string().describe('On the machine of the bridge.'),
    token: z.string().nullable().describe('null: a reader asks.'),
  }),
  Setting: setting,
  SettingList: listOf(setting),
  PauseBody: pauseBody,
  RetryBody: retryBody,
  Retry: retry,
  User: resources.userItem,
  UserList: listOf(resources.userItem),
  Group: resources.groupItem,
  GroupList: listOf(resources.groupItem),
  Member: resources.link,
  MemberList: listOf(resources.link),
  AdoptBody: resources.adoptBody,
  Explanation: resources.explanation,
  Timeline: resources.timeline,
  Erasure: resources.erasure,
  Sweep: drifts.sweep,
  SweepList: listOf(drifts.sweep),
  SweepAsked: drifts.sweepAsked,
  SweepBody: drifts.sweepBody,
  Drift: drifts.drift,
  DriftList: listOf(drifts.drift),
  Unmanaged: drifts.unmanaged,
  UnmanagedList: listOf(drifts.unmanaged),
  IgnoreBody: drifts.ignoreBody,
  LookBody: drifts.lookBody,
  Look: drifts.look,
  DriftDecision: drifts.driftDecision,
  DriftsBody: drifts.driftsBody,
  DriftsDecided: drifts.driftsDecided,
  PlanSummary: planSummary,
  PlanList: listOf(planSummary),
  Plan: plan,
  PlanAction: planAction,
  PlanActionList: listOf(planAction),
  PlanPart: planPart,
  PlanPartList: listOf(planPart),
  Undoing: undoing,
  UndoPreview: undoPreview,
  Recovery: recovery,
  FirstRun: firstRun,
  HashBody: hashBody,
  Act: act,
  ActList: listOf(act),
  Leaver: leaver,
  LeaverList: listOf(leaver),
  Census: census,
  Request: keptRequest,
  RequestList: listOf(keptRequest),
  Notification: notifications.notification,
  NotificationList: listOf(notifications.notification),
  NotificationTestBody: notifications.notificationTestBody,
  NotificationTest: notifications.notificationTest,
  Provider: provider,
  ProviderList: listOf(provider),
  ProviderBody: providerBody,
  LimitsBody: limitsBody,
  Handover: handover,
  IdImport: idImport,
  Token: access.token,
  TokenList: listOf(access.token),
  TokenBody: access.tokenBody,
  NewToken: access.newToken,
  Client: access.client,
  ClientList: listOf(access.client),
  ClientBody: access.clientBody,
  SecretBody: access.secretBody,
  RevokeBody: access.revokeBody,
  NewClient: access.newClient,
  NewSecret: access.newClientSecret,
  Session: access.session,
  SessionList: listOf(access.session),
  SessionEnded: access.sessionEnded,
  CallBody: callBody,
  CallResult: callResult,
  CallFailure: callFailure,
  OpenApi: z.looseObject({ openapi: z.literal('3.1.0') }),
} as const satisfies Readonly<Record<string, z.ZodType>>;

/** These schemas as JSON Schema, with references among them. */
export function describeSchemas(): Readonly<Record<string, object>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(opsSchemas)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    // zod also writes the limits of its integers, and its patterns of moments and of base64.
    override({ jsonSchema }) {
      if (/^(date-time|base64)$/.test(jsonSchema.format ?? '')) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  );
}

/** The name of one of these schemas. */
export type OpsSchemaName = keyof typeof opsSchemas;

/** The JSON that the schema of this name describes. */
export type OpsJson<Name extends OpsSchemaName> = JsonOf<(typeof opsSchemas)[Name]>;
