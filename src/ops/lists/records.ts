import { LEAVER_STATUSES } from '../../domain/leaver.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { listOf, toPlanLink, toProblemText, toWords } from './list.ts';

/** Lists of what was asked for and done. */
export const records = {
  REQUESTS: listOf('RequestList', [
    { name: 'at', kind: 'time' },
    { name: 'method' },
    { name: 'route' },
    { name: 'for', value: ({ resource }) => resource?.id, link: ({ resource }) => resource },
    {
      name: 'written',
      isLong: true,
      value: ({ written }) =>
        written
          .map(
            ({ op, path, values, words }) =>
              `${op}${words ? `: ${words}` : ` ${path}`} (${values})`,
          )
          .join(', '),
    },
    {
      name: 'status',
      tone: ({ status }) => (status < 400 ? 'good' : status < 500 ? 'waiting' : 'bad'),
    },
    { name: 'refused because', isLong: true, value: ({ refusal }) => refusal },
    { name: 'ms', place: 'minor', value: ({ durationMs }) => Math.round(durationMs) },
    { name: 'credential', place: 'minor', filter: 'credential', value: toCredential },
    { name: 'exchange', isLong: true, place: 'minor', value: ({ exchange }) => toWords(exchange) },
    { name: 'request', kind: 'id', place: 'minor', value: ({ requestId }) => requestId },
  ])({
    path: '/requests',
    summary: 'List what providers wrote and were refused, the newest first; without values.',
    filters: {
      resource: 'text',
      type: ['user', 'group'],
      credential: 'text',
      status: 'text',
      traced: ['true'],
    },
    meanings: {
      type: 'Of users, or of groups.',
      credential: 'With the credential with this name or id.',
      status: 'Answered with it: `409`, or `4xx`.',
      traced: 'What was said while the provider was traced.',
    },
  }),
  ACTS: listOf('ActList', [
    { name: 'at', kind: 'time' },
    { name: 'operator' },
    { name: 'with', place: 'minor', value: ({ credential }) => credential },
    { name: 'from', place: 'minor', value: ({ address }) => address },
    { name: 'did', value: ({ act }) => act },
    { name: 'on', value: ({ target }) => target },
    { name: 'outcome', tones: { done: 'good', refused: 'waiting', failed: 'bad' } },
    { name: 'before', place: 'minor', isLong: true, value: ({ before }) => toWords(before) },
    { name: 'after', isLong: true, value: ({ after }) => toWords(after) },
    { name: 'request', kind: 'id', place: 'minor', value: ({ requestId }) => requestId },
  ])({
    path: '/acts',
    summary: 'List what operators did, the newest first, with the states before and after.',
    filters: { operator: 'text', target: 'text', outcome: ['done', 'refused', 'failed'] },
    meanings: {
      operator: 'By the credential with this name or id.',
      target:
        'About this user or group, by an id or a name, and about its drifts and plans; or about the drift, plan, token, client or provider with this id.',
      outcome: '`done`; `refused`: answered with 4xx; `failed`: answered with 5xx.',
    },
  }),
  LEAVERS: listOf('LeaverList', [
    { name: 'id', place: 'csv', value: ({ person }) => person.id },
    {
      name: 'name',
      value: ({ person }) => person.name ?? person.id,
      link: ({ person: { id } }) => ({ type: 'user', id }),
    },
    { name: 'status', tones: { waits: 'waiting', out: 'good' } },
    { name: 'credential', place: 'minor', value: ({ asked }) => asked && toCredential(asked) },
    { name: 'request', kind: 'id', place: 'minor', value: ({ asked }) => asked?.requestId },
    { name: 'asked', kind: 'time', place: 'csv', value: ({ asked }) => asked?.at },
    { name: 'accepted', kind: 'time', value: ({ acceptedAt }) => acceptedAt },
    { name: 'sent', kind: 'time', place: 'minor', value: ({ sent }) => sent?.at },
    { name: 'call', place: 'csv', value: ({ sent }) => sent?.operation },
    { name: 'outcome', place: 'csv', value: ({ sent }) => sent?.outcome },
    { name: 'seen', kind: 'time', value: ({ seenAt }) => seenAt },
    { name: 'audit log', place: 'minor', value: toLogText },
    { name: 'logged', kind: 'time', place: 'csv', value: ({ logged }) => logged.at },
    { name: 'event', place: 'csv', value: ({ logged }) => logged.eventId },
    { name: 'by the bridge', place: 'csv', value: ({ logged }) => logged.ours },
    { name: 'took ms', place: 'csv', value: ({ tookMs }) => tookMs },
    { name: 'remains', isLong: true, value: toRemainsText },
    { name: 'plan', value: ({ planId }) => planId, link: toPlanLink },
    {
      name: 'problem',
      isLong: true,
      value: ({ problem, nextAttemptAt }) => toProblemText(problem, nextAttemptAt),
      tone: () => 'waiting',
    },
  ])({
    path: '/leavers',
    summary: 'List who lost access by a request, and what proves it, the newest first.',
    filters: { status: LEAVER_STATUSES, since: 'text', resource: 'text' },
    meanings: { since: 'Accepted since then: a date, or a moment.' },
  }),
  ACCESS: listOf('GroupAccessList', [
    { name: 'group', value: ({ group }) => group.name },
    { name: 'group id', place: 'csv', value: ({ group }) => group.id },
    { name: 'user', value: ({ user }) => user.name ?? user.id },
    { name: 'user id', place: 'csv', value: ({ user }) => user.id },
    { name: 'role' },
    { name: 'since', kind: 'time' },
    { name: 'how' },
    { name: 'by', value: ({ asked, by }) => by ?? (asked && toCredential(asked)) },
    { name: 'asked', kind: 'time', place: 'minor', value: ({ asked }) => asked?.at },
    { name: 'request', kind: 'id', place: 'minor', value: ({ asked }) => asked?.requestId },
    { name: 'certain', value: ({ certain }) => (certain ? 'yes' : 'no') },
    { name: 'at', place: 'csv' },
  ])({
    path: '/reports/access',
    summary: 'List who was in which group at a moment, and how they came in.',
    filters: { group: 'text', at: 'text' },
    meanings: {
      group: 'Of the group with this displayName or SCIM id.',
      at: 'At this moment, or at the beginning of this date in UTC; now when left out.',
    },
    command: 'report access',
  }),
  NOTIFICATIONS: listOf('NotificationList', [
    { name: 'id', kind: 'id', place: 'whole' },
    { name: 'at', kind: 'time', place: 'minor' },
    { name: 'receiver' },
    { name: 'type' },
    { name: 'attempts', place: 'minor' },
    { name: 'error', isLong: true, tone: () => 'bad' },
  ])({
    path: '/notifications',
    summary: 'List notifications that receivers do not have yet, the oldest first.',
    filters: { receiver: 'text' },
    meanings: { receiver: 'For the receiver with this name.' },
    command: 'notifications list',
  }),
};

function toCredential(by: Pick<OpsJson<'Request'>, 'credential' | 'credentialName'>): string {
  return by.credentialName ?? by.credential;
}

function toLogText({ logged }: OpsJson<'Leaver'>): string {
  const { state, at, ours, code } = logged;
  if (at !== null) return `${at}${ours === false ? ', by others' : ''}`;
  return code === null ? state : `${state} (${code})`;
}

function toRemainsText({ remains }: OpsJson<'Leaver'>): string {
  const groups = remains?.groups.map(({ id, name }) => name ?? id) ?? [];
  return [...(remains?.owner ? ['role of an owner'] : []), ...groups].join(', ');
}
