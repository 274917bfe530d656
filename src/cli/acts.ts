import { BridgeError } from '../domain/errors.ts';
import { toCount } from '../domain/text.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { actCommand, confirm, type Given } from './act-command.ts';
import { type AddCommand, addCommand } from './context.ts';
import { exitCodes, parseAnswer, readAnswer, toJson } from './json.ts';
import { toPlanAnswerText } from './plan.ts';
import { toMoments } from './table.ts';

function toNamed(item: OpsJson<'User'> | OpsJson<'Group'>): string {
  return `${'upstreamIds' in item ? 'group' : 'user'} ${item.name} (${item.id})`;
}

/** `erase`: erases all personal data of a person whom no provider has any more. */
const addErase: AddCommand = (program, context) => {
  const about = 'erase everything personal about a person whom the provider has deleted';
  const command = addCommand(program, 'erase', about);
  command
    .argument('<user>', 'a userName, an address or a SCIM id')
    .option('--yes', 'erase; without it nothing is changed, and what would be erased is shown')
    .option('--json', 'as one JSON object')
    .addHelpText('after', ERASE_HELP)
    .action(async (user: string, { yes, json }: { yes?: true; json?: true }) => {
      const { connect, write, exitWith, ask } = context;
      const client = connect();
      const planned = await readAnswer(
        client,
        'Erasure',
        `/users/${encodeURIComponent(user)}/erasure`,
      );
      const isPossible = planned.obstacles.length === 0;
      let isAsked = isPossible && yes === true;
      if (isPossible && !isAsked && ask !== undefined && !json) {
        write(toErasureText(planned));
        const question = 'Erase it? It cannot be taken back.';
        isAsked = await confirm(command, context, { yes: undefined, question });
      }
      const answer = isAsked
        ? parseAnswer<OpsJson<'Erasure'>>(await client.send('POST', `/users/${planned.id}/erase`))
        : planned;
      write(json ? toJson(answer) : toErasureText(answer));
      if (wasErased(planned)) return;
      if (!isPossible) exitWith(exitCodes.failed);
      else if (!isAsked) exitWith(exitCodes.incomplete);
    });
};

const ERASE_HELP = `
What is erased: names, addresses, attributes and places in groups; what the logs of requests, calls, drifts, plans and
events of the service say of the person. Where the account is still in the service, deactivated, its id and when it was
deleted stay, so that no list of the service brings the person back. What cannot be erased from here: the account in the
service, log lines (they hold ids alone), and backups made before.

Exit codes:
  0   erased, now or before
  1   nothing was erased: something has to be done first, or nobody or more than one has this name
  2   nothing was erased: --yes was not given
  64  wrong usage`;

function wasErased({ obstacles }: OpsJson<'Erasure'>): boolean {
  return obstacles.some(({ code }) => code === 'erased');
}

function toErasureText(answer: OpsJson<'Erasure'>): string {
  const { userName, id, account, staysHidden, obstacles, rows } = answer;
  if (wasErased(answer)) return `Nothing is left to erase of ${id}: it was done before.\n`;
  const person = `${userName} (${id}${account === null ? '' : `, account ${account}`})`;
  if (obstacles.length > 0) {
    const reasons = obstacles.map(({ code, detail }) => `  ${code}: ${detail}\n`);
    return `Nothing can be erased of ${person} yet:\n${reasons.join('')}`;
  }
  const others =
    rows === null
      ? 'whatever else speaks of them'
      : `${toCount(rows, 'row', 'rows')} of others and of logs that spoke of them`;
  return [
    `${rows === null ? 'To be erased' : 'Erased'}: ${person}\n`,
    `  names, attributes and what was seen in the service\n  ${others}\n`,
    staysHidden
      ? '  The id of the account stays, without a name, so that no list brings the person back.\n'
      : '',
    rows === null ? `Nothing was erased yet: scim-bridge erase ${id} --yes\n` : '',
  ].join('');
}

function toFound({ id, gone, differences, unfinished }: OpsJson<'Look'>): string {
  if (gone) return 'The service does not have it.';
  if (differences.length > 0) return `Differences: ${differences.length}`;
  return unfinished
    ? `Nothing differs but what waits, is stuck or is held: scim-bridge explain ${id}`
    : 'Nothing differs.';
}

function toRepairText(repair: OpsJson<'Look'>['repair']): string {
  if (repair === null) return '';
  if (repair.planId !== null) return `It is repaired by plan ${repair.planId}.\n`;
  if (repair.exceeded.length === 0) return 'There is nothing to repair.\n';
  return `Nothing is repaired, a limit would be exceeded: ${repair.exceeded.join('; ')}\n`;
}

function toLookText(answer: OpsJson<'Look'>, { key }: Given): string {
  const lines = answer.differences.map(({ kind, status, member, desired, observed, note }) => {
    const who = member === null ? '' : ` of ${member.name ?? member.id}`;
    const facts = `wanted ${JSON.stringify(desired)}, there is ${JSON.stringify(observed)}`;
    return `  ${kind}${who}: ${facts} · ${status}${note === null ? '' : ` (${note})`}\n`;
  });
  const head = `${answer.type} ${key}, ${toCount(answer.calls, 'call')}. ${toFound(answer)}\n`;
  return `${head}${lines.join('')}${toRepairText(answer.repair)}`;
}

function toWaiting(count: number): string {
  return toCount(count, 'person or group waits', 'people and groups wait');
}

function toWritesText({ mode, paused, waiting }: OpsJson<'Writes'>): string {
  const what = toWaiting(waiting);
  if (paused !== null) return toMoments(`Paused since ${paused.since}: ${what} for the service.\n`);
  if (mode === 'observe') return `Not paused, but the bridge only observes: ${what}.\n`;
  return `Not paused: ${what} for the service.\n`;
}

/** Commands about people and groups, and about all work. */
export const acts: readonly AddCommand[] = [
  actCommand('User', {
    usage: 'adopt <name>',
    about: 'take over an account or group that exists in the service',
    options: [
      ['--privileged', 'also an owner, somebody protected, a group with rights or admins'],
      ['--provider <name>', 'the provider that manages it from then on; default when left out'],
    ],
    question: ({ key, options: { privileged } }) =>
      privileged === true
        ? `Let providers change ${key}, even if it is an owner, protected or has rights?`
        : undefined,
    path: '/{resource}/adopt',
    toBody: ({ options }) => options,
    toText: (item) => `${toNamed(item)} is managed now\n`,
    help: `
Nothing is changed in the service by that, but what rules give: what it holds is what is wanted, until a provider says
otherwise. Who must not lose access stays protected.`,
  }),
  actCommand('User', {
    usage: 'release <name>',
    about: 'only observe a person or group from now on',
    question: ({ key }) =>
      `Let ${key} go? No provider's changes reach it until one takes it over again.`,
    path: '/{resource}/release',
    toText: (item) => `${toNamed(item)} is only observed now\n`,
    help: `
Nothing is changed in the service: the account, the group and its members stay as they are. A provider that still has the
person or group takes it over again with its next write, as users.adopt and groups.adopt say: unassign it there first.`,
  }),
  addErase,
  actCommand('Writes', {
    usage: 'pause',
    about: 'change nothing in the service until `resume`',
    options: [['--reason <text>', 'why, for whoever reads the status']],
    path: '/pause',
    toText: toWritesText,
    help: `
Providers are answered as always, and what they send is kept. Calls that are on their way end; no other is sent. The
pause survives restarts. Other processes on the same PostgreSQL follow within a second.`,
  }),
  actCommand('Writes', {
    usage: 'resume',
    about: 'change the service again after `pause`',
    async question(_given, { connect }) {
      const { writes } = await readAnswer(connect(), 'Status', '/status');
      const { mode, paused, waiting } = writes;
      if (mode !== 'live' || paused === null || waiting === 0) return undefined;
      return `${toWaiting(waiting)} for the service. Let all of it go?`;
    },
    path: '/resume',
    toText: toWritesText,
  }),
  actCommand('Retry', {
    usage: 'retry [name]',
    about: 'try now what is stuck or waits for its next attempt',
    options: [['--all', 'everything of everybody']],
    findFault: ({ key, options: { all } }) =>
      (key === '') === (all === true) ? undefined : 'name one person or group, or say --all',
    path: '/retry',
    toBody: ({ key, options }) => (options.all === true ? { all: true } : { name: key }),
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
  }),
  actCommand('Look', {
    usage: 'look <name>',
    about: 'compare one user or group with the service now',
    options: [['--repair', 'also repair what differs, within the limits']],
    path: '/{resource}/look',
    toBody: ({ options }) => options,
    toText: toLookText,
    help: `
It makes at most three calls of the service, and stores what it sees and what differs as a sweep does. Admin lists are left to
sweeps. --repair never touches what is unmanaged, protected or contested, and does nothing where a limit would be exceeded.`,
  }),
];

/** Decisions about plans. */
export const planActs: readonly AddCommand[] = [
  actCommand('Plan', {
    usage: 'plan approve <id> <hash>',
    about: 'do exactly what was shown, as far as it still holds',
    path: '/plans/{key}/approve',
    toBody: ({ second: hash }) => ({ hash }),
    toText: toPlanAnswerText,
  }),
  actCommand('Plan', {
    usage: 'plan discard <id>',
    about: 'do nothing of it; what it holds back stays as the service has it',
    question: ({ key }) =>
      `Discard the plan ${key}? Nothing of it is done, and that cannot be taken back.`,
    path: '/plans/{key}/discard',
    toText: toPlanAnswerText,
  }),
  actCommand('Plan', {
    usage: 'plan undo <id>',
    about: 'memberships, admins, active flags and handovers as they were before it',
    question: ({ key }) => `Undo the plan ${key} in the service?`,
    path: '/plans/{key}/undo',
    toText: toPlanAnswerText,
  }),
];

/** `session revoke`: ends a sign-in to the console, or all of one operator. */
export const addSessionRevoke = actCommand('SessionList', {
  usage: 'session revoke <name-or-id>',
  about: 'end a sign-in by its id, or all of one operator by the name',
  question: ({ key }) => `End the sign-ins ${key}? Who has them has to sign in again.`,
  async send({ connect }, { key }) {
    const client = connect();
    // As many as are kept.
    const page = await readAnswer(client, 'SessionList', '/sessions?limit=1000');
    const items = page.items.filter(({ id, name }) => id === key || name === key);
    if (items.length === 0) {
      throw new BridgeError('not-found', `No sign-in has the id or the name ${key}.`);
    }
    for (const { id } of items) await client.send('POST', `/sessions/${id}/revoke`);
    return { items };
  },
  toText: ({ items }) => items.map(({ id, name }) => `${name} (${id}) is signed out.\n`).join(''),
});
