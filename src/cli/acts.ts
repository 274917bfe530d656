import { BridgeError } from '../domain/errors.ts';
import { toCount } from '../domain/text.ts';
import type { SessionView } from '../ops/schemas/access.ts';
import type { LookAnswer } from '../ops/schemas/drift.ts';
import type { PlanAnswer } from '../ops/schemas/plans.ts';
import type { GroupItem, UserItem } from '../ops/schemas/resources.ts';
import type { RetryAnswer, Status, WritesView } from '../ops/schemas/state.ts';
import { actCommand, type Given } from './act-command.ts';
import type { CliContext } from './context.ts';
import { findResource, parseAnswer } from './json.ts';
import type { Page } from './listing.ts';
import { toPlanAnswerText } from './plan-text.ts';
import { toMoments } from './table.ts';

/** Sends a request about a user or group that is named. */
async function sendAbout(
  { connect }: CliContext,
  { key }: Given<object>,
  { verb, body }: { readonly verb: string; readonly body?: object },
): Promise<unknown> {
  const client = connect();
  const { type, id } = await findResource(client, key);
  return client.send('POST', `/${type}s/${id}/${verb}`, body);
}

function toNamed(item: UserItem | GroupItem): string {
  return `${'upstreamIds' in item ? 'group' : 'user'} ${item.name} (${item.id})`;
}

/** `adopt`: takes over an account or group that the bridge only observes. */
export const addAdoptCommand = actCommand<
  { readonly privileged?: true; readonly provider?: string },
  UserItem | GroupItem
>({
  usage: 'adopt <name>',
  about: 'take over an account or group that exists in the service',
  options: [
    ['--privileged', 'also an owner, somebody protected, a group with rights or admins'],
    ['--provider <name>', 'the provider whose it is from then on; default when left out'],
  ],
  question: ({ key, options: { privileged } }) =>
    privileged && `Let providers change ${key}, even if it is an owner, protected or has rights?`,
  send: (context, given) => sendAbout(context, given, { verb: 'adopt', body: given.options }),
  toText: (item) => `${toNamed(item)} is managed now\n`,
  help: `
Nothing is changed in the service by that, but what rules give: what it holds is what is wanted, until a provider says
otherwise. Who must not lose access stays protected.`,
});

/** `release`: lets a person or group go without a change in the service. */
export const addReleaseCommand = actCommand<object, UserItem | GroupItem>({
  usage: 'release <name>',
  about: 'only observe a person or group from now on',
  question: ({ key }) =>
    `Let ${key} go? No provider's changes reach it until one takes it over again.`,
  send: (context, given) => sendAbout(context, given, { verb: 'release' }),
  toText: (item) => `${toNamed(item)} is only observed now\n`,
  help: `
Nothing is changed in the service: the account, the group and its members stay as they are. A provider that still has the
person or group takes it over again with its next write, as users.adopt and groups.adopt say: unassign it there first.`,
});

/** `look`: compares one user or group with the service now. */
export const addLookCommand = actCommand<{ readonly repair?: true }, LookAnswer>({
  usage: 'look <name>',
  about: 'compare one user or group with the service now',
  options: [['--repair', 'also repair what differs, within the limits']],
  send: (context, given) => sendAbout(context, given, { verb: 'look', body: given.options }),
  toText(answer, { key }) {
    const lines = answer.differences.map(({ kind, status, member, desired, observed, note }) => {
      const who = member === null ? '' : ` of ${member.name ?? member.id}`;
      const facts = `wanted ${JSON.stringify(desired)}, there is ${JSON.stringify(observed)}`;
      return `  ${kind}${who}: ${facts} · ${status}${note === null ? '' : ` (${note})`}\n`;
    });
    const head = `${answer.type} ${key}, ${toCount(answer.calls, 'call')}. ${toFound(answer)}\n`;
    return `${head}${lines.join('')}${toRepairText(answer.repair)}`;
  },
  help: `
It makes at most three calls of the service, and stores what it sees and what differs as a sweep does. Admin lists are left to
sweeps. --repair never touches what is unmanaged, protected or contested, and does nothing where a limit would be exceeded.`,
});

function toFound({ id, gone, differences, unfinished }: LookAnswer): string {
  if (gone) return 'The service does not have it.';
  if (differences.length > 0) return `Differences: ${differences.length}`;
  return unfinished
    ? `Nothing differs but what waits, is stuck or is held: scim-bridge explain ${id}`
    : 'Nothing differs.';
}

function toRepairText(repair: LookAnswer['repair']): string {
  if (repair === null) return '';
  if (repair.planId !== null) return `It is repaired by plan ${repair.planId}.\n`;
  if (repair.exceeded.length === 0) return 'There is nothing to repair.\n';
  return `Nothing is repaired, a limit would be exceeded: ${repair.exceeded.join('; ')}\n`;
}

/** `pause`: stops all changes of the service, in every process on the store, until `resume`. */
export const addPauseCommand = actCommand<{ readonly reason?: string }, WritesView>({
  usage: 'pause',
  about: 'change nothing in the service until `resume`',
  options: [['--reason <text>', 'why, for whoever reads the status']],
  send: ({ connect }, { options }) => connect().send('POST', '/pause', options),
  toText: toWritesText,
  help: `
Providers are answered as always, and what they send is kept. Calls that are on their way end; no other is sent. The
pause survives restarts. Other processes on the same PostgreSQL follow within a second.`,
});

/** `resume`: ends the pause. */
export const addResumeCommand = actCommand<object, WritesView>({
  usage: 'resume',
  about: 'change the service again after `pause`',
  async question(_given, { connect }) {
    const { writes } = parseAnswer<Status>(await connect().send('GET', '/status'));
    const { mode, paused, waiting } = writes;
    const letsGo = mode === 'live' && paused !== null && waiting > 0;
    return letsGo ? `${toWaiting(waiting)} for the service. Let all of it go?` : undefined;
  },
  send: ({ connect }) => connect().send('POST', '/resume'),
  toText: toWritesText,
});

function toWritesText({ mode, paused, waiting }: WritesView): string {
  const what = toWaiting(waiting);
  if (paused !== null) return toMoments(`Paused since ${paused.since}: ${what} for the service.\n`);
  if (mode === 'observe') return `Not paused, but the bridge only observes: ${what}.\n`;
  return `Not paused: ${what} for the service.\n`;
}

function toWaiting(count: number): string {
  return toCount(count, 'person or group waits', 'people and groups wait');
}

/** `retry`: has what is stuck or waits for its next attempt tried now. */
export const addRetryCommand = actCommand<{ readonly all?: true }, RetryAnswer>({
  usage: 'retry [name]',
  about: 'try now what is stuck or waits for its next attempt',
  options: [['--all', 'everything of everybody']],
  findFault: ({ key, options: { all } }) =>
    (key === '') === (all === true) ? undefined : 'name one person or group, or say --all',
  send: ({ connect }, { key, options }) =>
    connect().send('POST', '/retry', options.all ? { all: true } : { name: key }),
  toText({ count, tried }) {
    if (count === 0) return 'Nothing waits that could be tried now.\n';
    const lines = tried.map(({ type, id, name, waits }) => {
      return `  ${type} ${name} (${id}): ${waits.join(', ') || 'a look'}\n`;
    });
    const more = count > tried.length ? `  and ${count - tried.length} more\n` : '';
    return `Tried now: ${count}\n${lines.join('')}${more}`;
  },
  help: `
Of a person this is also what waits of them in groups. What fails again rests as before; /ops/status and scim-bridge why
tell what came of it. While changes are paused, or only observed, it is tried when that ends.`,
});

/** `session revoke`: ends a sign-in to the console. */
export const addSessionRevoke = actCommand<object, Pick<Page<SessionView>, 'items'>>({
  usage: 'session revoke <name-or-id>',
  about: 'end a sign-in by its id, or all of one operator by the name',
  question: ({ key }) => `End the sign-ins ${key}? Who has them has to sign in again.`,
  async send({ connect }, { key }) {
    const client = connect();
    // As many as are kept.
    const page = parseAnswer<Page<SessionView>>(await client.send('GET', '/sessions?limit=1000'));
    const items = page.items.filter(({ id, name }) => id === key || name === key);
    if (items.length === 0) {
      throw new BridgeError('not-found', `No sign-in has the id or the name ${key}.`);
    }
    for (const { id } of items) await client.send('POST', `/sessions/${id}/revoke`);
    return { items };
  },
  toText: ({ items }) => items.map(({ id, name }) => `${name} (${id}) is signed out.\n`).join(''),
});

/** Decisions about plans. */
export const planDecisions = [
  toDecision({
    usage: 'plan approve <id> <hash>',
    about: 'do exactly what was shown, as far as it still holds',
  }),
  toDecision({
    usage: 'plan discard <id>',
    about: 'do nothing of it; what it holds back stays as the service has it',
    question: ({ key }) =>
      `Discard the plan ${key}? Nothing of it is done, and that cannot be taken back.`,
  }),
  toDecision({
    usage: 'plan undo <id>',
    about: 'memberships, admins, active flags and handovers as they were before it',
    question: ({ key }) => `Undo the plan ${key} in the service?`,
  }),
];

function toDecision({
  usage,
  ...words
}: {
  readonly usage: string;
  readonly about: string;
  readonly question?: (given: Given<object>) => string;
}) {
  const [, verb = ''] = usage.split(' ');
  return actCommand<object, PlanAnswer>({
    ...{ ...words, usage },
    send: ({ connect }, { key, second }) => {
      const body = second === '' ? undefined : { hash: second };
      return connect().send('POST', `/plans/${encodeURIComponent(key)}/${verb}`, body);
    },
    toText: (plan) => toPlanAnswerText(plan),
  });
}
