import { z } from 'zod';
import {
  client,
  clientBody,
  newClient,
  newClientSecret,
  newToken,
  revokeBody,
  secretBody,
  session,
  sessionEnded,
  token,
  tokenBody,
} from './access.ts';
import { act } from './acts.ts';
import { census } from './census.ts';
import {
  drift,
  driftDecision,
  driftsBody,
  driftsDecided,
  ignoreBody,
  look,
  lookBody,
  sweep,
  sweepAsked,
  sweepBody,
} from './drift.ts';
import { handover, idImport } from './handover.ts';
import { type JsonOf, listOf, problem } from './kinds.ts';
import { leaver } from './leavers.ts';
import {
  notification,
  notificationRetry,
  notificationRetryBody,
  notificationTest,
  notificationTestBody,
} from './notifications.ts';
import { plan, planAction, planPart, planSummary, undoing, undoPreview } from './plans.ts';
import { limitsBody, provider, providerBody } from './providers.ts';
import { firstRun, hashBody, recovery } from './recovery.ts';
import { callBody, callFailure, callResult, keptRequest } from './requests.ts';
import {
  adoptBody,
  erasure,
  explanation,
  groupItem,
  link,
  timeline,
  userItem,
} from './resources.ts';
import { samples } from './samples.ts';
import { setting } from './settings.ts';
import { pauseBody, retry, retryBody, status, writes } from './state.ts';

/** Bodies and answers of every request below `/ops`, by their name in the description. */
export const opsSchemas = {
  Problem: problem,
  Status: status,
  Writes: writes,
  Samples: samples,
  Sandbox: z.strictObject({
    url: z.string().describe('On the machine of the bridge.'),
    token: z.string(),
  }),
  Setting: setting,
  SettingList: listOf(setting),
  PauseBody: pauseBody,
  RetryBody: retryBody,
  Retry: retry,
  User: userItem,
  UserList: listOf(userItem),
  Group: groupItem,
  GroupList: listOf(groupItem),
  Member: link,
  MemberList: listOf(link),
  AdoptBody: adoptBody,
  Explanation: explanation,
  Timeline: timeline,
  Erasure: erasure,
  Sweep: sweep,
  SweepList: listOf(sweep),
  SweepAsked: sweepAsked,
  SweepBody: sweepBody,
  Drift: drift,
  DriftList: listOf(drift),
  IgnoreBody: ignoreBody,
  LookBody: lookBody,
  Look: look,
  DriftDecision: driftDecision,
  DriftsBody: driftsBody,
  DriftsDecided: driftsDecided,
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
  Notification: notification,
  NotificationList: listOf(notification),
  NotificationRetryBody: notificationRetryBody,
  NotificationRetry: notificationRetry,
  NotificationTestBody: notificationTestBody,
  NotificationTest: notificationTest,
  Provider: provider,
  ProviderList: listOf(provider),
  ProviderBody: providerBody,
  LimitsBody: limitsBody,
  Handover: handover,
  IdImport: idImport,
  Token: token,
  TokenList: listOf(token),
  TokenBody: tokenBody,
  NewToken: newToken,
  Client: client,
  ClientList: listOf(client),
  ClientBody: clientBody,
  SecretBody: secretBody,
  RevokeBody: revokeBody,
  NewClient: newClient,
  NewSecret: newClientSecret,
  Session: session,
  SessionList: listOf(session),
  SessionEnded: sessionEnded,
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
