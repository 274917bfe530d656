import { z } from 'zod';
import {
  client,
  clientBody,
  newClientSecret,
  newToken,
  revokeBody,
  secretBody,
  token,
  tokenBody,
} from './access-schemas.ts';
import { callBody, callFailure, callResult } from './api-schemas.ts';
import { listOf, problem } from './kinds.ts';
import { decision, firstRun, hashBody, recovery } from './plan-schemas.ts';
import { plan, planAction, planSummary, undoing } from './repair-schemas.ts';
import { keptRequest } from './request-schemas.ts';
import { adoptBody, erasure, explanation, groupItem, userItem } from './resource-schemas.ts';
import { retry, retryBody, status, writes } from './state-schemas.ts';
import { drift, driftDecision, ignoreBody, sweep, sweepAsked, sweepBody } from './sweep-schemas.ts';
import { timeline } from './timeline-schemas.ts';

/** Everything that is asked and answered below `/ops`, by the name that the description gives it. */
export const opsSchemas = {
  Problem: problem,
  Status: status,
  Writes: writes,
  PauseBody: z.strictObject({ reason: z.string().max(500).nullable().optional() }),
  RetryBody: retryBody,
  Retry: retry,
  User: userItem,
  UserList: listOf(userItem),
  Group: groupItem,
  GroupList: listOf(groupItem),
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
  DriftDecision: driftDecision,
  PlanSummary: planSummary,
  PlanList: listOf(planSummary),
  Plan: plan,
  PlanAction: planAction,
  PlanActionList: listOf(planAction),
  Undoing: undoing,
  Recovery: recovery,
  FirstRun: firstRun,
  HashBody: hashBody,
  Decision: decision,
  Request: keptRequest,
  RequestList: listOf(keptRequest),
  Token: token,
  TokenList: listOf(token),
  TokenBody: tokenBody,
  NewToken: newToken,
  Client: client,
  ClientList: listOf(client),
  ClientBody: clientBody,
  SecretBody: secretBody,
  RevokeBody: revokeBody,
  NewSecret: newClientSecret,
  CallBody: callBody,
  CallResult: callResult,
  CallFailure: callFailure,
  OpenApi: z.looseObject({ openapi: z.literal('3.1.0') }),
} as const satisfies Readonly<Record<string, z.ZodType>>;

/** Each of them as JSON Schema, with references among them. */
export function describeSchemas(): Readonly<Record<string, object>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(opsSchemas)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    // What zod says beyond what is meant: the limits of its integers, and how it checks a moment.
    override({ jsonSchema }) {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  );
}

/** The name of one of them. */
export type OpsSchemaName = keyof typeof opsSchemas;
