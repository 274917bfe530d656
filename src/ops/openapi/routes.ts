import { DRIFT_KINDS, DRIFT_STATUSES } from '../../domain/drift.ts';
import { PLAN_STATUSES } from '../../domain/plan.ts';
import { ACCESS_FILTERS } from '../access/query.ts';
import type { FilterWords } from '../list-query.ts';
import { REQUEST_FILTERS } from '../requests/router.ts';
import { RESOURCE_FILTERS } from '../resources/router.ts';
import type { OpsSchemaName } from './schemas.ts';

/** One request below `/ops`. */
export interface OpsRoute {
  readonly method: 'get' | 'post';
  /** Below `/ops`, with parameters in braces. */
  readonly path: string;
  /** Under which heading it is described. */
  readonly tag: string;
  /** What it does, a sentence. */
  readonly summary: string;
  /** A list: with these filters, `limit` and `cursor`. */
  readonly filters?: Readonly<Record<string, FilterWords>>;
  /** What a filter chooses, where it is something else than in other lists. */
  readonly meanings?: Readonly<Record<string, string>>;
  /** The newest of what there is: with `limit`, and without a cursor. */
  readonly newest?: true;
  readonly body?: { readonly schema: OpsSchemaName; readonly required: boolean };
  /** By status. Every request may also be answered 401 and 429, one that is no GET 403, and lists and bodies 400 `invalid`. */
  readonly answers: Readonly<Record<number, OpsSchemaName>>;
}

const adopt = {
  method: 'post',
  body: { schema: 'AdoptBody', required: false },
} as const;
const decisions = { 200: 'Decision', 409: 'Problem' } as const;
const hash = { schema: 'HashBody', required: true } as const;
const timeline = {
  method: 'get',
  tag: 'People and groups',
  newest: true,
  answers: { 200: 'Timeline', 404: 'Problem', 409: 'Problem' },
} as const;
const explained = { 200: 'Explanation', 404: 'Problem', 409: 'Problem' } as const;

/** Every request below `/ops`; a test compares it with what is served. */
export const opsRoutes: readonly OpsRoute[] = [
  {
    method: 'get',
    path: '/status',
    tag: 'State',
    summary: 'What waits, fails and is stuck, with the words of the service, and what stops calls.',
    answers: { 200: 'Status' },
  },
  {
    method: 'post',
    path: '/pause',
    tag: 'State',
    summary: 'Has every process on the store change nothing in the service. May be repeated.',
    body: { schema: 'PauseBody', required: false },
    answers: { 200: 'Writes' },
  },
  {
    method: 'post',
    path: '/resume',
    tag: 'State',
    summary: 'Ends the pause. May be repeated.',
    answers: { 200: 'Writes' },
  },
  {
    method: 'post',
    path: '/retry',
    tag: 'State',
    summary:
      'Has tried at once what is stuck or waits for its next attempt: of one person or group, by an id or a name, or all.',
    body: { schema: 'RetryBody', required: true },
    answers: { 200: 'Retry', 404: 'Problem', 409: 'Problem' },
  },
  {
    method: 'get',
    path: '/users',
    tag: 'People and groups',
    summary: 'People in order of creation, managed or only observed.',
    filters: RESOURCE_FILTERS,
    answers: { 200: 'UserList' },
  },
  {
    method: 'get',
    path: '/users/{id}',
    tag: 'People and groups',
    summary: 'One person, deleted or not.',
    answers: { 200: 'User', 404: 'Problem' },
  },
  {
    ...adopt,
    path: '/users/{id}/adopt',
    tag: 'People and groups',
    summary: 'Takes over an account that the bridge only observes, as the service holds it.',
    answers: { 200: 'User', 403: 'Problem', 404: 'Problem', 409: 'Problem' },
  },
  {
    method: 'get',
    path: '/users/{key}/explain',
    tag: 'People and groups',
    summary: 'Why each field of a person is as it is. The key is an id, a userName or an address.',
    answers: explained,
  },
  {
    method: 'get',
    path: '/groups',
    tag: 'People and groups',
    summary: 'Groups in order of creation, managed or only observed.',
    filters: RESOURCE_FILTERS,
    answers: { 200: 'GroupList' },
  },
  {
    method: 'get',
    path: '/groups/{id}',
    tag: 'People and groups',
    summary: 'One group, deleted or not.',
    answers: { 200: 'Group', 404: 'Problem' },
  },
  {
    ...adopt,
    path: '/groups/{id}/adopt',
    tag: 'People and groups',
    summary: 'Takes over a group that the bridge only observes, after a look at its admins.',
    answers: { 200: 'Group', 403: 'Problem', 404: 'Problem', 409: 'Problem', 503: 'Problem' },
  },
  {
    method: 'get',
    path: '/groups/{key}/explain',
    tag: 'People and groups',
    summary: 'Why each field of a group is as it is. The key is an id or a displayName.',
    answers: explained,
  },
  {
    method: 'get',
    path: '/explain/{key}',
    tag: 'People and groups',
    summary: 'The same of a person or a group, whichever it is.',
    answers: explained,
  },
  {
    ...timeline,
    path: '/users/{key}/timeline',
    summary: 'What led to the state of a person, the newest of it, the oldest first.',
  },
  {
    ...timeline,
    path: '/groups/{key}/timeline',
    summary: 'What led to the state of a group.',
  },
  {
    ...timeline,
    path: '/timeline/{key}',
    summary: 'The same of a person or a group, whichever it is.',
  },
  {
    method: 'get',
    path: '/users/{key}/erasure',
    tag: 'People and groups',
    summary: 'What erasing a person would erase, and what has to be done first. The key as before.',
    answers: { 200: 'Erasure', 404: 'Problem', 409: 'Problem' },
  },
  {
    method: 'post',
    path: '/users/{key}/erase',
    tag: 'People and groups',
    summary:
      'Erases everything personal about a person whom no provider has any more. 409 `not-erasable` with `obstacles` when something has to be done first.',
    answers: { 200: 'Erasure', 404: 'Problem', 409: 'Problem' },
  },
  {
    method: 'post',
    path: '/sweeps',
    tag: 'Sweeps and drift',
    summary: 'Has the service compared with the store: a new sweep, or the one that runs or waits.',
    body: { schema: 'SweepBody', required: false },
    answers: { 202: 'SweepAsked' },
  },
  {
    method: 'get',
    path: '/sweeps',
    tag: 'Sweeps and drift',
    summary: 'Sweeps, the newest first.',
    filters: {},
    answers: { 200: 'SweepList' },
  },
  {
    method: 'get',
    path: '/sweeps/{id}',
    tag: 'Sweeps and drift',
    summary: 'One sweep.',
    answers: { 200: 'Sweep', 404: 'Problem' },
  },
  {
    method: 'get',
    path: '/drifts',
    tag: 'Sweeps and drift',
    summary: 'Differences that nobody asked for, in order of finding.',
    filters: { kind: DRIFT_KINDS, status: DRIFT_STATUSES },
    answers: { 200: 'DriftList' },
  },
  {
    method: 'post',
    path: '/drifts/{id}/repair',
    tag: 'Sweeps and drift',
    summary: 'Has the service hold what is desired, by a plan.',
    answers: { 202: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
  },
  {
    method: 'post',
    path: '/drifts/{id}/accept',
    tag: 'Sweeps and drift',
    summary: 'Takes what is observed as what is desired.',
    answers: { 200: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
  },
  {
    method: 'post',
    path: '/drifts/{id}/ignore',
    tag: 'Sweeps and drift',
    summary: 'Leaves it alone until a date.',
    body: { schema: 'IgnoreBody', required: true },
    answers: { 200: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
  },
  {
    method: 'get',
    path: '/plans',
    tag: 'Plans',
    summary: 'Plans of repairs, the newest first.',
    filters: { status: PLAN_STATUSES },
    answers: { 200: 'PlanList' },
  },
  {
    method: 'get',
    path: '/plans/{id}',
    tag: 'Plans',
    summary: 'One plan with its first actions.',
    answers: { 200: 'Plan', 404: 'Problem' },
  },
  {
    method: 'get',
    path: '/plans/{id}/actions',
    tag: 'Plans',
    summary: 'All actions of a plan.',
    filters: {},
    answers: { 200: 'PlanActionList', 404: 'Problem' },
  },
  {
    method: 'post',
    path: '/plans/{id}/approve',
    tag: 'Plans',
    summary: 'Does exactly the plan with this hash, as far as it still holds.',
    body: hash,
    answers: { 200: 'Plan', 404: 'Problem', 409: 'Problem' },
  },
  {
    method: 'post',
    path: '/plans/{id}/discard',
    tag: 'Plans',
    summary: 'Does nothing of a plan that waits.',
    answers: { 200: 'Plan', 404: 'Problem', 409: 'Problem' },
  },
  {
    method: 'post',
    path: '/plans/{id}/undo',
    tag: 'Plans',
    summary: 'Takes back what a plan did, as far as the provider has written nothing of it since.',
    answers: { 202: 'Undoing', 404: 'Problem', 409: 'Problem' },
  },
  {
    method: 'get',
    path: '/plans/first-run',
    tag: 'Going live and recovery',
    summary: 'What each person and group is before the bridge is live, and the plan that is held.',
    filters: {},
    answers: { 200: 'FirstRun' },
  },
  {
    method: 'post',
    path: '/plans/first-run/approve',
    tag: 'Going live and recovery',
    summary: 'Does exactly the plan with this hash, as far as it still holds.',
    body: hash,
    answers: decisions,
  },
  {
    method: 'post',
    path: '/plans/first-run/discard',
    tag: 'Going live and recovery',
    summary: 'Leaves the service as it is.',
    body: hash,
    answers: decisions,
  },
  {
    method: 'get',
    path: '/recovery',
    tag: 'Going live and recovery',
    summary: 'Where recovery stands, and the plan that is held.',
    answers: { 200: 'Recovery' },
  },
  {
    method: 'post',
    path: '/recovery/approve',
    tag: 'Going live and recovery',
    summary: 'Does exactly the plan with this hash, as far as it still holds.',
    body: hash,
    answers: decisions,
  },
  {
    method: 'post',
    path: '/recovery/discard',
    tag: 'Going live and recovery',
    summary: 'Leaves the service as it is.',
    body: hash,
    answers: decisions,
  },
  {
    method: 'get',
    path: '/requests',
    tag: 'Requests of providers',
    summary: 'What providers wrote and what they were refused, the newest first, without values.',
    filters: REQUEST_FILTERS,
    meanings: { resource: 'Of this SCIM id.', status: 'Answered with it: `409`, or `4xx`.' },
    answers: { 200: 'RequestList' },
  },
  {
    method: 'get',
    path: '/tokens',
    tag: 'Credentials',
    summary: 'Named tokens of providers and operators, the newest first; never their texts.',
    filters: ACCESS_FILTERS,
    meanings: { state: 'Not revoked, or revoked.' },
    answers: { 200: 'TokenList' },
  },
  {
    method: 'post',
    path: '/tokens',
    tag: 'Credentials',
    summary: 'Makes a token. No other answer has its text.',
    body: { schema: 'TokenBody', required: true },
    answers: { 201: 'NewToken', 409: 'Problem' },
  },
  {
    method: 'post',
    path: '/tokens/{id}/revoke',
    tag: 'Credentials',
    summary: 'Ends the token with this id or name, everywhere within five seconds.',
    answers: { 200: 'Token', 404: 'Problem' },
  },
  {
    method: 'get',
    path: '/clients',
    tag: 'Credentials',
    summary: 'OAuth clients, the newest first, with their secrets; never the texts of these.',
    filters: ACCESS_FILTERS,
    meanings: { state: 'Not revoked, or revoked.' },
    answers: { 200: 'ClientList' },
  },
  {
    method: 'post',
    path: '/clients',
    tag: 'Credentials',
    summary: 'Makes a client with a secret. No other answer has its text.',
    body: { schema: 'ClientBody', required: true },
    answers: { 201: 'NewSecret', 409: 'Problem' },
  },
  {
    method: 'post',
    path: '/clients/{id}/rotate',
    tag: 'Credentials',
    summary: 'Gives the client with this id or name a second secret; a third is refused.',
    body: { schema: 'SecretBody', required: false },
    answers: { 201: 'NewSecret', 404: 'Problem', 409: 'Problem' },
  },
  {
    method: 'post',
    path: '/clients/{id}/revoke',
    tag: 'Credentials',
    summary: 'Ends a client, or one of its secrets, with every access token that it got.',
    body: { schema: 'RevokeBody', required: false },
    answers: { 200: 'Client', 404: 'Problem' },
  },
  {
    method: 'post',
    path: '/api/{group}/{operation}',
    tag: 'The service',
    summary: 'Calls any operation of the service; docs/client-operations.md lists them.',
    body: { schema: 'CallBody', required: false },
    answers: {
      200: 'CallResult',
      404: 'Problem',
      415: 'Problem',
      502: 'CallFailure',
      503: 'CallFailure',
      504: 'CallFailure',
    },
  },
  {
    method: 'get',
    path: '/openapi.json',
    tag: 'This description',
    summary: 'Everything on this page as OpenAPI 3.1.',
    answers: { 200: 'OpenApi' },
  },
];
