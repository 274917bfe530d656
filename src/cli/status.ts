import { type Fact, listStatusFacts } from '../ops/lists/details.ts';
import { toProblemText } from '../ops/lists/list.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { exitCodes, readAnswer } from './json.ts';
import { addShowOptions, type ShowOptions, show } from './listing.ts';
import { createPaint, toDetails, toMoments } from './table.ts';

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
        toText: (status) => toText(status, context),
      });
    });
};

const help = `
--json prints what GET /ops/status answers; GET /ops/openapi.json describes it.

Exit codes:
  0   shown
  1   the bridge does not answer: the message says why
  2   with --exit-code: there are reasons, each with its remedy`;

const TONES = { ok: 'good', degraded: 'waiting', unavailable: 'bad' } as const;

function toText(answer: OpsJson<'Status'>, context: CliContext): string {
  const paint = createPaint(context);
  const { status, bridge, reasons } = answer;
  const head = `${paint(status, TONES[status])}  scim-bridge ${bridge.version} on ${bridge.engine}, since ${bridge.startedAt}\n`;
  const lines = reasons.map(({ code, detail, remedy }) => {
    return `  ${paint(code, 'waiting')}: ${detail}\n      ${remedy}\n`;
  });
  const facts = [...listStatusFacts(answer), ...listTroubles(answer)];
  return `${toMoments([head, ...lines].join(''))}${toDetails(facts, context)}`;
}

function listTroubles({ stuck, failing, disputes }: OpsJson<'Status'>): Fact[] {
  const troubles = [...stuck, ...failing].slice(0, SHOWN_MAX);
  return [
    ...troubles.map(({ type, name, problem, nextAttemptAt }) => {
      return { title: type, text: `${name}: ${toProblemText(problem, nextAttemptAt)}` };
    }),
    ...disputes.slice(0, SHOWN_MAX).map(({ type, name, reason }) => {
      return { title: type, text: `${name}: ${reason}` };
    }),
  ];
}
