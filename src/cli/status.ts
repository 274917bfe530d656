import { toCount } from '../domain/text.ts';
import { toProblemText } from '../ops/lists/list.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { exitCodes, readAnswer } from './json.ts';
import { addShowOptions, type ShowOptions, show } from './listing.ts';
import { toTimeText } from './progress.ts';
import { createPaint, toMoments, toPlain } from './table.ts';

/** Problems of one kind that are shown; the others are counted. */
const SHOWN_MAX = 10;

/** `status`: tells how the bridge is. */
export const addStatusCommand: AddCommand = (program, context) => {
  const about = 'tell how the bridge is, what waits and what is to be done';
  const command = addCommand(program, 'status', about);
  addShowOptions(command)
    .option('--exit-code', 'exit with 2 when an operator has something to do')
    .addHelpText('after', help)
    .action(async (options: ShowOptions & { exitCode?: true }) => {
      await show<OpsJson<'Status'>>(context, {
        options,
        async read(client) {
          const status = await readAnswer(client, 'Status', '/status');
          const isWell = status.status === 'ok';
          if (options.exitCode) context.exitWith(isWell ? exitCodes.done : exitCodes.incomplete);
          return status;
        },
        toText: (status) => toMoments(toText(status, context)),
      });
    });
};

const help = `
--json prints what GET /ops/status answers; GET /ops/openapi.json describes it.

Exit codes:
  0   shown
  1   the bridge does not answer: the message says why
  2   with --exit-code: there are reasons, each with its remedy`;

function toText(status: OpsJson<'Status'>, context: CliContext): string {
  const paint = createPaint(context);
  const tones = { ok: 'good', degraded: 'waiting', unavailable: 'bad' } as const;
  const { bridge, leader, writes, due, reasons } = status;
  const leads = leader === null ? 'nobody leads' : leader.isSelf ? 'it leads' : 'another leads';
  const changes =
    writes.paused === null
      ? `${writes.mode}, ${toCount(writes.waiting, 'waits', 'wait')} for the service`
      : `paused since ${writes.paused.since}${toReason(writes.paused)}, ${toCount(writes.waiting, 'waits', 'wait')}`;
  return [
    `${paint(status.status, tones[status.status])}  scim-bridge ${bridge.version} on ${bridge.engine}, since ${bridge.startedAt}, ${leads}\n`,
    ...reasons.map(({ code, detail, remedy }) => {
      return `  ${paint(code, 'waiting')}: ${detail}\n      ${remedy}\n`;
    }),
    toLine('changes', changes),
    toLine('work', `${due} due, ${status.failingCount} failing, ${status.stuckCount} stuck`),
    ...toSeats(status),
    ...toTroubles(status),
    ...toLeavers(status),
    toLine('service', toServiceText(status)),
    toLine('first read', status.firstRead ? toReadingText(status.firstRead) : 'finished'),
    toLine('last sweep', toSweepText(status)),
    toLine('differences', toDriftsText(status)),
    toLine('unmanaged', `${toCount(status.unmanaged, 'account or group', 'accounts and groups')}`),
    toLine('wrong tokens', toAttemptsText(status.authentication)),
  ].join('');
}

function toLine(name: string, text: string): string {
  return `  ${name.padEnd(13)} ${text}\n`;
}

function toTroubles({ stuck, failing, disputes }: OpsJson<'Status'>): string[] {
  const troubles = [...stuck, ...failing].slice(0, SHOWN_MAX);
  const shown = troubles.map(({ type, name, problem, nextAttemptAt }) =>
    toLine('', toPlain(`${type} ${name}: ${toProblemText(problem, nextAttemptAt)}`)),
  );
  const disputed = disputes.slice(0, SHOWN_MAX);
  return [
    ...shown,
    ...disputed.map(({ type, name, reason }) => toLine('', toPlain(`${type} ${name}: ${reason}`))),
  ];
}

function toReason({ reason }: { readonly reason: string | null }): string {
  return reason === null ? '' : toPlain(` (${reason})`);
}

function toAttemptsText({ failed, sources }: OpsJson<'Status'>['authentication']): string {
  const from = sources.slice(0, SHOWN_MAX).map(({ address }) => address);
  return `${failed} in ten minutes${from.length === 0 ? '' : `, from ${from.join(', ')}`}`;
}

function toLeavers({ leavers }: OpsJson<'Status'>): string[] {
  if (leavers === null) return [];
  const { count, since, heldBy, plan } = leavers;
  const holds = {
    plan: `, held by a plan: scim-bridge plan show ${plan}`,
    'observe-mode': ', because the bridge only observes',
    'writes-paused': ', because changes are paused',
  };
  const who = toCount(count, 'who left is not out', 'who left are not out');
  const why = heldBy === null ? '' : holds[heldBy];
  return [toLine('leavers', `${who}, since ${since}${why}`)];
}

/** Nothing where nobody has said how many seats there are, and nobody waits. */
function toSeats({ seats: { total, used, waiting, daysLeft } }: OpsJson<'Status'>): string[] {
  if (total === null && waiting === 0) return [];
  const of = total === null ? '' : ` of ${total}`;
  const waits = waiting === 0 ? '' : `, ${toCount(waiting, 'waits', 'wait')} for one`;
  const end =
    daysLeft === null || daysLeft === 0
      ? ''
      : `, the rest for about ${toCount(Math.ceil(daysLeft), 'day')}`;
  return [toLine('seats', `${used}${of} taken${waits}${end}`)];
}

function toServiceText({ upstream }: OpsJson<'Status'>): string {
  const { credentials, service, inFlight, pausedForMs, waiting } = upstream;
  if (credentials.kind === 'shut') return 'refuses the token';
  if (service.kind === 'shut') return 'does not answer';
  const calls = Object.values(waiting).reduce((sum, count) => sum + count, 0);
  const pause = pausedForMs > 0 ? `, asks for a pause of ${toTimeText(pausedForMs)}` : '';
  return `answers, ${toCount(inFlight, 'call')} under way, ${toCount(calls, 'waits for its', 'wait for their')} turn${pause}`;
}

/** Prints how far a complete read of the service has come. */
export function toReadingText({ step, read, expected, endsAt }: OpsJson<'Reading'>): string {
  const of = expected === null ? '' : ` of ${expected}`;
  const end = endsAt === null ? '' : `, until about ${endsAt}`;
  return toMoments(`reading ${step}, ${read}${of} so far${end}`);
}

function toSweepText({ lastSweep }: OpsJson<'Status'>): string {
  if (lastSweep === null) return 'never';
  const { status, startedAt, endedAt, progress, counts } = lastSweep;
  if (endedAt !== null) {
    const { users = 0, groups = 0 } = counts;
    return `${status}, ended ${endedAt}, ${toCount(users, 'person', 'people')} and ${toCount(groups, 'group')}`;
  }
  const reading = progress === null ? '' : `, ${toReadingText(progress)}`;
  return `running since ${startedAt}${reading}`;
}

function toDriftsText({ drifts }: OpsJson<'Status'>): string {
  const byStatus = Map.groupBy(drifts, ({ status }) => status);
  const parts = [...byStatus].map(([status, some]) => `${sum(some)} ${status}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function sum(some: readonly { readonly count: number }[]): number {
  return some.reduce((all, { count }) => all + count, 0);
}
