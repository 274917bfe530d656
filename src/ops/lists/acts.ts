import { toCount } from '../../domain/values.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toHold, toProgress } from './details.ts';
import { actOf } from './list.ts';
import { toKind } from './words.ts';

const IGNORING = {
  summary: 'Leave them alone until a date.',
  question: 'Ignore them?',
  done: 'ignored',
};

/** What operators do about people, groups, plans and the bridge. */
export const acts = {
  ADOPT: actOf('User')({
    path: '/{resource}/adopt',
    summary:
      'Take over an account or group that the bridge only observes, as the service holds it.',
    body: 'AdoptBody',
    command: 'adopt <resource>',
    question: 'Let providers change {resource}, even if it is an owner, protected or has rights?',
    asksIf: 'privileged',
    say: (item) => `${toNamed(item)} is managed now`,
    help: 'Its state in the service counts as wanted until a provider writes. Only rules change the service then.',
  }),
  RELEASE: actOf('User')({
    path: '/{resource}/release',
    summary: 'Stop managing a person or group; the bridge only observes it from then on.',
    command: 'release <resource>',
    question: "Release {resource}? No provider's changes reach it until one takes it over again.",
    say: (item) => `${toNamed(item)} is only observed now`,
    help: 'Unassign it in the provider first. What stays and what is refused: docs/go-live.md#release.',
  }),
  LOOK: actOf('Look')({
    path: '/{resource}/look',
    summary: 'Compare one person or group with the service now: all of it that is managed.',
    body: 'LookBody',
    command: 'look <resource>',
    say: toLookText,
    help: '--repair leaves alone what is unmanaged, protected or contested, and repairs nothing above a limit.',
  }),
  RETRY: actOf('Retry')({
    path: '/retry',
    summary:
      'Try now what is stuck or waits for its next attempt: of one person or group, by an id or a name, or all.',
    body: 'RetryBody',
    command: 'retry [name]',
    say({ count, heldBy, tried }) {
      if (count === 0) return 'Nothing waits that could be tried now.';
      const lines = tried.map(({ type, id, name, waits }) => {
        return `  ${type} ${name} (${id}): ${waits.join(', ') || 'a look'}`;
      });
      const more = count > tried.length ? [`  and ${count - tried.length} more`] : [];
      const later = heldBy && `Not tried yet, ${toHold({ heldBy, plan: null })}`;
      return [`${later ?? 'Tried now'}: ${count}`, ...lines, ...more].join('\n');
    },
    help: 'For a person it also tries their memberships. What fails again waits as before: scim-bridge why shows it.',
  }),
  PAUSE: actOf('Writes')({
    path: '/pause',
    summary: 'Change nothing in the service until `resume`. May be repeated.',
    body: 'PauseBody',
    command: 'pause',
    say: toWritesText,
    help: 'What goes on meanwhile: docs/go-live.md#pause.',
  }),
  RESUME: actOf('Writes')({
    path: '/resume',
    summary: 'Change the service again after `pause`. May be repeated.',
    command: 'resume',
    question: 'Let all that waits for the service go?',
    say: toWritesText,
  }),
  ERASE: actOf('Erasure')({
    path: '/users/{user}/erase',
    summary:
      'Erase everything personal about a person whom no provider has any more. 409 `not-erasable` names what has to be done first.',
    body: 'EraseBody',
    command: 'erase <user>',
    question: 'Erase {user}? It cannot be taken back.',
    say: toErasureText,
    help: 'The user is a userName, an address or a SCIM id. What stays: docs/security.md#erase-a-person.',
  }),
  NOTIFICATIONS_TEST: actOf('NotificationTest')({
    path: '/notifications/test',
    summary: 'Send a notification to one receiver, or to each, to try it.',
    body: 'NotificationTestBody',
    command: 'notifications test [receiver]',
    say: ({ ids }) =>
      `Sent: ${ids.length}. What a receiver does not have yet: scim-bridge notifications list`,
  }),
  PLAN_APPROVE: actOf('Plan')({
    path: '/plans/{id}/approve',
    summary: 'Do exactly the plan with this hash, as far as it still holds.',
    body: 'HashBody',
    command: 'plan approve <id> <hash>',
    say: toPlanHead,
  }),
  PLAN_DISCARD: actOf('Plan')({
    path: '/plans/{id}/discard',
    summary:
      'Discard a plan that waits: nothing of it is done, and what providers asked for in it is not wanted any more.',
    command: 'plan discard <id>',
    question: 'Discard the plan {id}? Nothing of it is done, and that cannot be taken back.',
    say: toPlanHead,
  }),
  PLAN_UNDO: actOf('Undoing')({
    status: 202,
    path: '/plans/{id}/undo',
    summary: 'Take back what a plan did, as far as the provider has written nothing of it since.',
    command: 'plan undo <id>',
    question: 'Undo the plan {id} in the service?',
    say: toPlanHead,
  }),
  SWEEP: actOf('SweepAsked')({
    status: 202,
    path: '/sweeps',
    summary: 'Compare the service with the store: a new sweep, or the one that runs or waits.',
    body: 'SweepBody',
    command: 'sweep',
    say: () => 'A sweep has begun; what it finds comes to Drifts and Plans.',
  }),
};

/** Commands that decide about some of what a list shows. */
export const decisions = {
  REPAIR: decisionOf('drifts', 'repair', {
    summary: 'Bring the service back to what is wanted, by one plan.',
    question: 'Repair them?',
    done: 'repaired',
  }),
  ACCEPT: decisionOf('drifts', 'accept', {
    summary: 'Take the state of the service as wanted.',
    question: 'Accept them?',
    done: 'accepted',
  }),
  ADOPT: decisionOf('unmanaged', 'adopt', {
    summary: 'Take them over as the service holds them; none that is privileged.',
    question: 'Take them over? Providers may change and deactivate them from then on.',
    done: 'taken over',
  }),
  IGNORE: decisionOf('drifts', 'ignore', IGNORING),
  IGNORE_UNMANAGED: decisionOf('unmanaged', 'ignore', IGNORING),
};

function decisionOf(
  list: 'drifts' | 'unmanaged',
  decision: OpsJson<'DriftsBody'>['decision'],
  { done, ...words }: Readonly<Record<'summary' | 'question' | 'done', string>>,
) {
  return actOf('DriftsDecided')({
    ...words,
    path: '/drifts/decide',
    body: 'DriftsBody',
    fixed: { decision },
    command: `${list} ${decision} <ids...>`,
    help: 'A dry run is made and shown first. Repairs above the limits: docs/drift.md#plans-and-limits.',
    say: (decided) => toDecidedText(decided, done),
    // A person has seen the plan; a script has not.
    confirmed: ({ plan }) => (plan === null || decision !== 'repair' ? {} : { hash: plan.hash }),
    isWhole: ({ refused }) => refused.length === 0,
  });
}

function toDecidedText(decided: OpsJson<'DriftsDecided'>, words: string): string {
  const { dryRun, done, refused, plan } = decided;
  const head = `${done} ${dryRun ? 'can be ' : ''}${words}, ${refused.length} not.`;
  const lines = [head, ...refused.map(({ id, reason }) => `  ${id}  ${reason}`)];
  if (plan !== null) {
    const { id, hash, counts, exceeded } = plan;
    const name = id === null ? `The plan ${hash}` : `Plan ${id}`;
    const kinds = Object.entries(counts.kinds).map(([kind, count]) => `  ${count} ${kind}`);
    lines.push(`${name}: ${toCount(counts.total, 'action')}`, ...kinds);
    lines.push(...exceeded.map((limit) => `  above the limit: ${limit}`));
  }
  return lines.join('\n');
}

function toErasureText({ userName, id, account, staysHidden, rows }: OpsJson<'Erasure'>): string {
  const who = `${userName} (${id}${account === null ? '' : `, account ${account}`})`;
  const kept = staysHidden
    ? '\n  The id of the account stays: no list brings the person back.'
    : '';
  if (rows === null) return `To be erased: ${who}${kept}`;
  return `Erased: ${who}\n  ${toCount(rows, 'row')} of others and of logs that spoke of them${kept}`;
}

/** The counts of a plan in one line that names no user and no group. */
export function toPlanHead(plan: OpsJson<'Plan'>): string {
  const { id, status, source, reason, counts } = plan;
  const why = reason === null ? '' : ` (${reason})`;
  const total = toCount(counts.total, 'action');
  return `Plan ${id} of ${source}: ${total}, ${status}, ${toProgress(plan)}${why}`;
}

function toWritesText({ mode, paused, waiting }: OpsJson<'Writes'>): string {
  const what = toCount(waiting, 'person or group waits', 'people and groups wait');
  if (paused !== null) return `Paused since ${paused.since}: ${what} for the service.`;
  if (mode === 'observe') return `Not paused, but the bridge only observes: ${what}.`;
  return `Changes are made: ${what} for the service.`;
}

function toNamed(item: OpsJson<'User'> | OpsJson<'Group'>): string {
  return `${'upstreamIds' in item ? 'group' : 'user'} ${item.name} (${item.id})`;
}

function toLookText(look: OpsJson<'Look'>): string {
  const { id, gone, differences, repair, unfinished } = look;
  if (gone) return 'The service does not have it.';
  const but = unfinished ? ` but what waits, is stuck or is held: scim-bridge explain ${id}` : '.';
  if (differences.length === 0) return `Nothing differs${but}`;
  const lines = differences.map(({ kind, status, member, desired, observed, note }) => {
    const who = member === null ? '' : ` of ${member.name ?? member.id}`;
    const facts = `wanted ${JSON.stringify(desired)}, there is ${JSON.stringify(observed)}`;
    return `  ${kind}${who} (${toKind(kind)}): ${facts} · ${status}${note === null ? '' : ` (${note})`}`;
  });
  const { planId = null, exceeded = [] } = repair ?? {};
  const limits = exceeded.map(
    (limit) => `Nothing is repaired, a limit would be exceeded: ${limit}`,
  );
  const plan = planId === null ? [] : [`It is repaired by plan ${planId}.`];
  return [`Differences: ${differences.length}`, ...lines, ...limits, ...plan].join('\n');
}
